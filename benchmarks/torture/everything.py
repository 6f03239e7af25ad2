"""All attacks, one after the other: `make torture`, and for a minute or two with `make test`.

python -m benchmarks.torture.everything                  # as long as it takes: hours
python -m benchmarks.torture.everything --seconds 60     # as far as each comes in its share of a minute
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.torture import damaged, disks, fuzzed, kills, load
from benchmarks.torture.trials import Attack, own_home, own_state

ATTACKS: dict[str, tuple[Attack, int]] = {
    "damaged": (damaged.attack, 200),
    "kills": (kills.attack, 1_000),
    "disks": (disks.attack, 500),
    "fuzzed": (fuzzed.attack, 100_000),
    "load": (load.attack, 10_000),
}
"""Each with how many trials it takes where it is given the time."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1e9, help="the most that the attacks may take together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=ATTACKS, help="this one alone")
    given = parser.parse_args()
    chosen = {name: one for name, one in ATTACKS.items() if given.only in (None, name)}
    faults = 0
    with own_home() as home:
        for name, (attack, trials) in chosen.items():
            folder = home / name
            folder.mkdir()
            own_state(folder)
            tally = attack(folder, trials, given.seed, given.seconds / len(chosen))
            tally.print(name)
            faults += sum(tally.faults.values())
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
