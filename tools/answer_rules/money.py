"""Words for money: currencies by their names and signs, and what columns of money are called."""

from __future__ import annotations

from tools.answer_rules.text import content_stems

Stems = frozenset[str]

CURRENCIES = {
    word: signs[0]
    for signs in ("€ eur euro euros", "£ gbp pound pounds quid", "$ usd dollar dollars", "¥ jpy yen")
    for word in (*signs.split(), *content_stems(signs))
}
"""The sign of a currency by what it is called, in full and as a stem."""
SIGNS = frozenset(CURRENCIES.values())
NAMES = "eur euro euros gbp pound pounds quid usd dollar dollars chf kr nok sek dkk isk pln czk huf cad aud jpy yen inr"
"""Currencies as a column or a question says them."""
CURRENCY_NAMES = frozenset({*NAMES.split(), *CURRENCIES, *SIGNS})
"""How a cell may say in which currency its row is."""
MONEY: Stems = frozenset(
    content_stems(
        "amount cost total sum net gross price value paid fee rent fare owed due spent gift donation budget income "
        f"takings sales revenue earnings turnover profit {NAMES}"
    )
)
"""What columns of money are called."""
