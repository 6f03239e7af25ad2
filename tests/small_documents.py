"""Twelve invented documents, whose chains no model knows by heart, and a question over two of them."""

from __future__ import annotations

DOCUMENTS = {
    "glasswork": ("The Glass Harbour", "The Glass Harbour is a 1931 silent film directed by Irena Valdis."),
    "lanterns": (
        "Seven Lanterns",
        "Seven Lanterns is a 1948 film directed by Tomas Brandel. It was shot in two weeks.",
    ),
    "valdis": (
        "Irena Valdis",
        "Irena Valdis (born 4 May 1899 in Tarnow Bay; died 2 June 1970) was a film director. "
        "She was the daughter of the painter Oskar Valdis.",
    ),
    "brandel": ("Tomas Brandel", "Tomas Brandel (born 12 March 1911 in Lindholm) was a director of films and plays."),
    "oskar": ("Oskar Valdis", "Oskar Valdis (born 1860 in Karsk) was a painter of harbours and ships."),
    "tarnow": ("Tarnow Bay", "Tarnow Bay is a port on the Grey Coast. It has a lighthouse from 1802."),
    "lindholm": ("Lindholm", "Lindholm is a town in the hills, known for its glass and its clocks."),
    "karsk": ("Karsk", "Karsk is a village on the river Oder. Its mill burned down in 1911."),
    "clock": ("Clockmaking", "Clockmaking was taught in the hill towns from the seventeenth century on."),
    "ferry": ("Grey Coast Ferry", "The Grey Coast Ferry sails twice a day and carries forty cars."),
    "mill": ("Water mills", "Water mills grind grain. Many were lost to fire."),
    "ships": ("Ships in painting", "Ships have been painted since antiquity, in calm and in storm."),
}

QUESTION = "Where was the director of The Glass Harbour born?"
PLAN = {
    "constraints": [
        {"head": "The Glass Harbour", "relation": "directed by", "tail": "?director"},
        {"head": "?director", "relation": "place of birth", "tail": "?place"},
    ],
    "target": "?place",
}
