"""Which device a run gets, which number formats it may ask for, and that TF32 waits to be asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
import torch

from quizapp.lab.engine import devices, runner
from quizapp.lab.engine.failures import Refused
from quizapp.lab.experiment import BaseParams, param


class Params(BaseParams):
    dtype: Literal["float16", "bfloat16", "float32", "float64"] = param("float32", en="f", zh="f")


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    matmul, convolution = torch.backends.cuda.matmul, torch.backends.cudnn
    before, has = (matmul.allow_tf32, convolution.allow_tf32), devices.has
    has.cache_clear()
    yield
    has.cache_clear()  # the function itself: a test may have put another in its place
    matmul.allow_tf32, convolution.allow_tf32 = before


@pytest.mark.parametrize(
    ("cuda", "mps", "best"),
    [
        (True, True, ("cuda", "mps", "cpu")),
        (True, False, ("cuda", "cpu")),
        (False, True, ("mps", "cpu")),
        (False, False, ("cpu",)),
    ],
)
def test_auto_takes_cuda_then_mps_then_cpu(
    cuda: bool, mps: bool, best: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert devices.devices() == best
    assert devices.pick_device("auto") == best[0]
    assert [devices.pick_device(name) for name in best] == list(best)


def test_a_device_that_is_not_there_is_refused_in_both_languages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(devices, "devices", lambda: ("mps", "cpu"))
    with pytest.raises(Refused) as caught:
        devices.pick_device("cuda")
    failure = caught.value.failure
    assert failure.kind == "device"
    assert failure.text.to("en") == "device 'cuda' is not there\nThis machine has: mps, cpu."
    assert "本机有：mps, cpu" in failure.text.to("zh")


def test_a_format_is_tried_and_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(devices.has("cpu", dtype) for dtype in devices.FORMATS)
    devices.has.cache_clear()

    def no_half(self: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        if self.dtype == torch.float16:
            raise RuntimeError("\"addmm_impl_cpu_\" not implemented for 'Half'")
        return self

    monkeypatch.setattr(torch.Tensor, "__matmul__", no_half)
    assert [dtype for dtype in devices.FORMATS if not devices.has("cpu", dtype)] == ["float16"]


@pytest.mark.parametrize("words", ["CUDA error: unspecified launch failure", "CUDA out of memory"])
def test_a_broken_device_is_not_taken_for_one_without_the_format(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> torch.Tensor:
        raise RuntimeError(words)

    monkeypatch.setattr(torch.Tensor, "__matmul__", breaks)
    with pytest.raises(RuntimeError, match=words):
        devices.has("cpu", "float32")


def test_a_format_that_the_device_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "has", lambda device, dtype: dtype != "float64")
    with pytest.raises(Refused) as caught:
        devices.refuse_format(Params(dtype="float64"), "mps")
    failure = caught.value.failure
    assert failure.kind == "device"
    assert "mps has no float64" in failure.text.to("en")
    assert "float16, bfloat16, float32; or run on cpu" in failure.text.to("en")
    assert "mps 没有 float64" in failure.text.to("zh")
    devices.refuse_format(Params(dtype="bfloat16"), "mps")
    devices.refuse_format(BaseParams(), "mps")


def test_the_runner_refuses_the_format_before_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "has", lambda device, dtype: dtype != "bfloat16")
    (only,) = runner.reports("stable_softmax", {"dtype": "bfloat16"}, "cpu")
    assert only.failure is not None
    assert only.failure.kind == "device"
    assert "cpu has no bfloat16" in only.failure.text.to("en")


@pytest.mark.parametrize(
    ("device", "wanted", "on"),
    [("cuda", False, False), ("cuda", True, True), ("cpu", True, False), ("mps", True, False)],
)
def test_tf32_is_off_unless_cuda_is_asked_for_it(device: str, wanted: bool, on: bool) -> None:
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True  # a left-over
    assert devices.use_tf32(device, wanted) is on
    assert torch.backends.cuda.matmul.allow_tf32 is on
    assert torch.backends.cudnn.allow_tf32 is on


def test_every_run_sets_tf32_and_the_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.backends.cuda.matmul.allow_tf32 = True
    plain = list(runner.reports("softmax", {}, "cpu"))[-1]
    assert plain.provenance is not None
    assert plain.provenance.tf32 is False
    assert torch.backends.cuda.matmul.allow_tf32 is False
    asked = []

    def as_on_cuda(device: str, wanted: bool) -> bool:
        asked.append((device, wanted))
        return wanted

    monkeypatch.setattr(runner, "use_tf32", as_on_cuda)
    on = list(runner.reports("softmax", {}, "cpu", tf32=True))[-1]
    assert asked == [("cpu", True)]
    assert on.provenance is not None
    assert on.provenance.tf32 is True
