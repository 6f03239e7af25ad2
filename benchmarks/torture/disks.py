"""Disks that are full from a call on, and single calls that fail, where they write: one line, exit 3, and no harm.

    python -m benchmarks.torture.disks --trials 500

What is not needed (a transcript, statistics) may fail while the command ends well. Afterwards, with room again, the
same command gives what an undisturbed run gives, as after a kill; and no sound file is said to be damaged.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.torture import kills
from benchmarks.torture.trials import Tally, run_alone


def attack(home: Path, trials: int, seed: int, seconds: float) -> Tally:
    """Each scenario under its share of the trials and seconds."""
    return kills.attack(home, trials, seed, seconds, ("full", "error"))


if __name__ == "__main__":
    run_alone(attack, 500, __doc__)
