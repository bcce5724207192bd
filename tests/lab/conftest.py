"""Runs the lab as the engine does: one thread, which is what small tensors want."""

from __future__ import annotations

import os

import pytest

# Before NumPy is imported: its BLAS reads this once. On a busy machine with few cores,
# threads that wait for each other make small matrix products tens of times slower.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)
