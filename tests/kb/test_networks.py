"""ONNX Runtime multiplies whole numbers exactly, whatever the processor."""

from __future__ import annotations

import numpy as np

from kb.networks import open_network

_PRODUCT = (
    b"\x08\x08\x12\x00:W\n\x18\n\x01a\n\x01b\x12\x01y\x22\rMatMulInteger\x12\x00*\x0f\x08\x04\x08\x01\x10\x03B\x01b"
    b"J\x04\x7f\x7f\x7f\x7fZ\x13\n\x01a\x12\x0e\n\x0c\x08\x02\x12\x08\n\x02\x08\x01\n\x02\x08\x04b\x13\n\x01y\x12\x0e"
    b"\n\x0c\x08\x06\x12\x08\n\x02\x08\x01\n\x02\x08\x01B\x04\n\x00\x10\x11"
)
"""A graph of one node: y = MatMulInteger(a, b), a of shape (1, 4) and uint8, b four times 127 and int8."""


def test_sums_of_products_are_not_cut_off() -> None:
    """4 x 255 x 127 = 129,540; x86 without VNNI adds two products in 16 bits, at most 32,767: 65,534 in all."""
    row = np.full((1, 4), 255, dtype=np.uint8)
    network = open_network(_PRODUCT, 1)
    [sums] = network.run(None, {"a": row})
    assert sums.tolist() == [[129_540]]
    # With VNNI they are exact anyhow.
    assert network.get_session_options().get_session_config_entry("session.x64quantprecision") == "1"
