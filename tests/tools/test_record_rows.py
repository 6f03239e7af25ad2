"""The made-up records that the reader is trained on."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PRINT_ROWS = """
import random
from benchmarks.record_rows import record_rows
print([row.passage for row in record_rows(40, random.Random(7))])
"""


def printed(hash_seed: int) -> str:
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    ran = subprocess.run(
        [sys.executable, "-c", PRINT_ROWS], env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout


@pytest.mark.parametrize("other", [1, 2])
def test_the_same_seed_draws_the_same_rows_in_every_process(other: int) -> None:
    assert printed(0) == printed(other)
