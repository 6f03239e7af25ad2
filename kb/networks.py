"""ONNX Runtime, which reads and embeds passages. Its import, a third of a second, waits for the first network."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Its newer builds tell their makers who loads them, and keep what is to be told in the home folder. Read at the import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime


def open_network(graph: bytes, threads: int, weights: Mapping[str, NDArray[np.generic]] | None = None) -> Any:
    """A session of a network on this machine's processor; `weights` are those that the graph itself does not have.

    What is wrong with the graph raises an error of ONNX Runtime's.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # A thread that waits for work by spinning takes the processor from whatever else runs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # x86 without VNNI cuts sums of products of uint8 and int8 off at 16 bits: of 100 passages 15 are read otherwise.
    # With this it multiplies uint8 by uint8, which is exact and a sixth slower; nothing changes on other processors.
    options.add_session_config_entry("session.x64quantprecision", "1")
    # Which later value may take which earlier one's memory is sought for a second, and saves none: it is freed anyhow.
    options.enable_mem_reuse = False
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in (weights or {}).items()}
    options.add_external_initializers(list(values), list(values.values()))
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def cores() -> int:
    """Threads that work side by side, each on its own: as many as OMP_NUM_THREADS says; else one a core."""
    if (wanted := os.environ.get("OMP_NUM_THREADS", "")).isdecimal() and int(wanted):
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads() -> int:
    """Threads that read: as many as OMP_NUM_THREADS says; else two, and up to four of a larger machine, as more wait
    for each other.
    """
    if (wanted := os.environ.get("OMP_NUM_THREADS", "")).isdecimal() and int(wanted):
        return int(wanted)
    return max(2, min(4, (os.cpu_count() or 1) // 2))
