"""Failures that torch and the drivers tell in words only, each as a result with a name."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from quizapp.errors import MachineError, UsageError
from quizapp.lab.engine.failures import Refused, failure_of, is_lost

Accelerator = getattr(torch, "AcceleratorError", RuntimeError)

#: error → the kind it is told as. The words are those of torch 2.6 to 2.13 and its drivers.
ERRORS: list[tuple[Exception, str]] = [
    (MemoryError(), "memory"),
    (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB."), "memory"),
    (Accelerator("CUDA error: out of memory\nCUDA kernel errors might be"), "memory"),
    (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"), "memory"),
    (RuntimeError("MPS backend out of memory (MPS allocated: 9 GB, max allowed: 9 GB)"), "memory"),
    (RuntimeError("Invalid buffer size: 32.00 GiB"), "memory"),
    (
        RuntimeError(
            "MPS: command buffer exited with error status. Error: Insufficient Memory "
            "(00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)"
        ),
        "memory",
    ),
    (Accelerator("CUDA error: device-side assert triggered\nCompile with"), "lost"),
    (RuntimeError("CUDA error: unspecified launch failure"), "lost"),
    (RuntimeError("CUDA error: an illegal memory access was encountered"), "lost"),
    (RuntimeError("CUDA error: uncorrectable ECC error encountered"), "lost"),
    (RuntimeError("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling cublasSgemm"), "lost"),
    (RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"), "lost"),
    (RuntimeError("No CUDA GPUs are available"), "lost"),
    (
        RuntimeError(
            "MPS: command buffer exited with error status. Error: Caused GPU Hang Error "
            "(00000003:kIOGPUCommandBufferCallbackErrorHang)"
        ),
        "lost",
    ),
    (
        RuntimeError("CUDA error: no kernel image is available for execution on the device"),
        "device",
    ),
    (
        NotImplementedError(
            "The operator 'aten::linalg_qr' is not currently implemented for the MPS device."
        ),
        "device",
    ),
    (
        TypeError(
            "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support "
            "float64. Please use float32 instead."
        ),
        "device",
    ),
    (RuntimeError("\"addmm_impl_cpu_\" not implemented for 'Half'"), "device"),
    (ValueError("cannot convert float NaN to integer"), "not-finite"),
    (OverflowError("cannot convert float infinity to integer"), "not-finite"),
    (ValueError("the shapes [/] differ"), "error"),
    (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), "error"),
]


@pytest.mark.parametrize(("error", "kind"), ERRORS, ids=lambda it: str(it)[:40])
def test_every_failure_has_its_name_and_says_what_to_do(error: Exception, kind: str) -> None:
    failure = failure_of(error, "cuda")
    assert failure.kind == kind
    assert is_lost(failure) is (kind == "lost")
    assert set(failure.text.languages) == {"en", "zh"}
    advice = {
        "memory": "Try smaller sizes",
        "lost": "The engine starts afresh",
        "device": "cuda cannot compute this: run it on cpu",
        "not-finite": "NaN or infinity",
        "error": str(error),
    }
    assert advice[kind] in failure.text.to("en")
    assert "Compile with" not in failure.text.to("en")  # advice for those who write kernels


def test_what_torch_and_numpy_really_raise_is_known() -> None:
    caught: list[tuple[Exception, str]] = []
    for work, kind in (
        (lambda: torch.empty(10**15), "memory"),
        (lambda: np.empty(10**15), "memory"),
        (lambda: torch.histogram(torch.tensor([float("nan")]), 3), "not-finite"),
    ):
        try:
            work()
        except Exception as error:  # noqa: BLE001 - which one is the point
            caught.append((error, kind))
    assert [failure_of(error, "cpu").kind for error, _ in caught] == [kind for _, kind in caught]
    assert len(caught) == 3


def test_refusals_and_errors_for_people_keep_their_words() -> None:
    refused = failure_of(Refused("memory", "too large", "太大"), "cpu")
    assert (refused.kind, refused.text.to("en"), refused.text.to("zh")) == (
        "memory",
        "too large",
        "太大",
    )
    usage = failure_of(UsageError("d_k=0 is not possible", remedy="d_k takes …"), "cpu")
    assert usage.kind == "params"
    assert "d_k takes …" in usage.text.to("en")
    assert failure_of(MachineError("no disk"), "cpu").kind == "error"
