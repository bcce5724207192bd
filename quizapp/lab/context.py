"""`RunContext`: seeded inputs, the device, and Reports with their provenance filled in.

Inputs are drawn on the CPU, so that every device sees the same ones.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import torch

from quizapp.lab import attention as by_hand
from quizapp.lab.experiment import BaseParams, Cancelled, Measured, Words
from quizapp.report import (
    Curve,
    HeatMap,
    Histogram,
    Metric,
    MetricInfo,
    Provenance,
    Report,
    Step,
    Table,
)
from quizapp.text import Text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Dtype = Literal["float32", "float64"]


class RunContext:
    """The one implementation of `quizapp.lab.experiment.Context`."""

    def __init__(
        self,
        name: str,
        metrics: Mapping[str, MetricInfo],
        params: BaseParams,
        device: str,
        *,
        tf32: bool = False,
        function: Callable[..., tuple[torch.Tensor, torch.Tensor]] | None = None,
        function_name: str = "",
        cancelled: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._name = name
        self._metrics = metrics
        self._params = params
        self._device = device
        self._tf32 = tf32
        self._function = function or by_hand.attention
        self._function_name = function_name
        self.function_called = False
        self._cancelled = cancelled
        self._clock = clock
        self._started = clock()
        self._dtypes: set[str] = set()

    @property
    def device(self) -> str:
        return self._device

    @property
    def dtype(self) -> str:
        """The widest dtype the run drew its inputs in; "float32" before it drew any."""
        return max(self._dtypes, default="float32")

    def _dtype(self, wanted: Dtype) -> torch.dtype:
        used = "float32" if self._device == "mps" else wanted
        self._dtypes.add(used)
        return torch.float64 if used == "float64" else torch.float32

    def stream(self, name: str) -> int:
        # A stream of its own for each name: adding a draw never shifts another one. Hashed,
        # as a checksum of both lets one name under one seed equal another under the next;
        # 32 bits, as torch's CPU generator drops the others.
        text = f"{self._params.seed}/{name}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "big")

    def _draw(self, name: str, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        generator = torch.Generator().manual_seed(self.stream(name))
        return torch.randn(*shape, generator=generator, dtype=dtype)

    def normal(self, name: str, *shape: int, dtype: Dtype = "float32") -> torch.Tensor:
        return self._draw(name, shape, self._dtype(dtype)).to(self._device)

    def normal64(self, name: str, *shape: int, dtype: Dtype = "float32") -> NDArray[np.float64]:
        return self._draw(name, shape, self._dtype(dtype)).double().numpy()

    def cast(self, values: torch.Tensor, dtype: Dtype) -> torch.Tensor:
        return values.to(self._dtype(dtype))

    def tensor(self, values: Any, dtype: Dtype = "float32") -> torch.Tensor:
        return torch.tensor(values, dtype=self._dtype(dtype), device=self._device)

    def attention(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        *,
        scale: float | None = None,
        mask: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        self.function_called = True
        return self._function(q, k, v, scale=scale, mask=mask)

    def seconds(self) -> float:
        return self._clock() - self._started

    def checkpoint(self) -> None:
        if self._cancelled():
            raise Cancelled

    def provenance(self) -> Provenance:
        """Device, dtype, version, seed, parameters and seconds so far."""
        return Provenance(
            device=self._device,
            dtype=self.dtype,
            torch=torch.__version__,
            seed=self._params.seed,
            params=self._params.model_dump(mode="json"),
            seconds=round(self.seconds(), 4),
            tf32=self._tf32,
            function=self._function_name if self.function_called else "",
        )

    def report(
        self,
        *,
        metrics: Mapping[str, Measured],
        final: bool = False,
        progress: float | None = None,
        summary: Words | None = None,
        tables: Sequence[Table] = (),
        curves: Sequence[Curve] = (),
        histograms: Sequence[Histogram] = (),
        heat_maps: Sequence[HeatMap] = (),
        trace: Sequence[Step] = (),
    ) -> Report:
        return Report(
            experiment=self._name,
            status="final" if final else "partial",
            progress=None if final else progress,
            summary=None if summary is None else Text.of(summary),
            metrics={name: self._metric(name, value) for name, value in metrics.items()},
            tables=tuple(tables),
            curves=tuple(curves),
            histograms=tuple(histograms),
            heat_maps=tuple(heat_maps),
            trace=tuple(trace),
            provenance=self.provenance(),
        )

    def _metric(self, name: str, measured: Measured) -> Metric:
        info = self._metrics[name]  # KeyError: an experiment reports what it declares
        value, stderr = measured if isinstance(measured, tuple) else (measured, None)
        return Metric(
            value=_plain(value),
            unit=info.unit,
            meaning=info.meaning,
            label=info.label,
            stderr=None if stderr is None else _plain(stderr),
        )


def _plain(value: Any) -> float | tuple[float, ...]:
    """A float, or a tuple of floats, from a number, a list, an array or a tensor."""
    if isinstance(value, torch.Tensor):
        value = value.tolist()
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        listed = value if isinstance(value, (list, tuple)) else value.tolist()
        return (
            tuple(float(item) for item in listed)
            if isinstance(listed, (list, tuple))
            else float(listed)
        )
    return float(value)
