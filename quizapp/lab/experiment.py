"""What an experiment file is made of. No torch, no numpy: the front reads these files too.

An experiment is one file in `quizapp/lab/experiments/` and no registration:

    \"\"\"Claim in one sentence.

    equation, shape legend, source
    \"\"\"
    CLAIM = {"en": …, "zh": …}
    class Params(BaseParams): …            # bounds that also cap memory and time
    def memory(params): return bytes  # optional: the peak of a run, where bounds allow > 256 MiB
    METRICS = {"score_std": metric(…)}     # unit, label, meaning, plausible range
    PLOTS = ("scores",)                    # ids of the plots a final report carries
    TIMED = {"speedup"}                    # optional: metrics from a clock, whatever their unit
    def run(params, ctx): yield ctx.report(…)         # ever fuller reports
    def check(params, ctx): return {"score_std": …}   # float64 NumPy, a second way

A parameter called `dtype` is the number format computed in: a device without it refuses the
run. torch and numpy are imported inside `run` and `check` only. What is long, or shared with
other experiments, lies in rooms beside them: `maths/` (torch), `second_way/` (NumPy, for
`check`), `pictures/` (tables, plots, steps) and `wording/` (what each number is called).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from quizapp.report import (
    Curve,
    HeatMap,
    Histogram,
    MetricInfo,
    Report,
    Step,
    Table,
)
from quizapp.text import Text

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

NumberFormat = Literal["float16", "bfloat16", "float32", "float64"]
Words = str | Mapping[str, str]
#: A measured value, or (value, standard error); each a number or a sequence of numbers.
Value = float | Sequence[float]
Measured = Value | tuple[Value, Value]


class BaseParams(BaseModel):
    """Parameters every experiment has. Subclasses add their own, each made by `param`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    seed: int = Field(
        0,
        ge=0,
        le=2**31 - 1,
        json_schema_extra={"en": "seed of every random draw", "zh": "所有随机数的种子"},
    )


def both(en: str, zh: str) -> dict[str, str]:
    """One wording in both languages."""
    return {"en": en, "zh": zh}


def param(
    default: Any,
    *,
    en: str,
    zh: str,
    low: float | None = None,
    high: float | None = None,
    step: Literal["one", "double"] = "one",
    max_length: int | None = None,
    min_length: int | None = None,
) -> Any:
    """A parameter's default, bounds (inclusive) and help in both languages."""
    return Field(
        default,
        ge=low,
        le=high,
        min_length=min_length,
        max_length=max_length,
        json_schema_extra={"en": en, "zh": zh, "step": step},
    )


def metric(
    unit: str,
    label: Words,
    meaning: Words,
    *,
    low: float = float("-inf"),
    high: float = float("inf"),
    sampled: bool = False,
    nan: bool = False,
) -> MetricInfo:
    """One entry of METRICS: see `quizapp.report.MetricInfo`."""
    return MetricInfo(unit, Text.of(label), Text.of(meaning), low, high, sampled, nan)


class UnfitError(ValueError):
    """Values that do not go together, in both languages: for the validators of `Params`."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.text = Text.of({"en": en, "zh": zh})


class Cancelled(Exception):  # noqa: N818 - it is not an error: the learner moved on
    """Raised inside `run` by `ctx.checkpoint()` when the learner no longer waits."""


class Context(Protocol):
    """What a run may use. The seed, the device and the clock come from here, never from globals."""

    @property
    def device(self) -> str:
        """ "cpu", "cuda" or "mps"."""

    def normal(
        self, name: str, *shape: int, dtype: Literal["float32", "float64"] = "float32"
    ) -> torch.Tensor:
        """Independent N(0,1) draws for the stream `name`, made on the CPU from the seed.

        The same seed, name and shape give the same numbers on every device. float64
        falls back to float32 where the device has none (MPS).
        """

    def normal64(
        self, name: str, *shape: int, dtype: Literal["float32", "float64"] = "float32"
    ) -> NDArray[np.float64]:
        """The very numbers `normal` gives, as float64 NumPy: for `check`."""

    def stream(self, name: str) -> int:
        """The seed of the stream `name`: for generators that torch's own layers draw from."""

    def cast(self, values: torch.Tensor, dtype: Literal["float32", "float64"]) -> torch.Tensor:
        """`values` in `dtype`: what was drawn in float32, computed with more digits."""

    def tensor(self, values: Any, dtype: Literal["float32", "float64"] = "float32") -> torch.Tensor:
        """`values` on the run's device."""

    def attention(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        *,
        scale: float | None = None,
        mask: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Output and weights of the attention under study; `scale` None is 1/√d_k.

        q (…, S_q, d_k), k (…, S_k, d_k), v (…, S_k, d_v), mask broadcastable to
        (…, S_q, S_k), False hides. Returns (…, S_q, d_v) and (…, S_q, S_k).
        """

    def seconds(self) -> float:
        """Seconds since the run began, on the run's own clock: for timings."""

    def checkpoint(self) -> None:
        """Call between chunks of work, at least every 100 ms: raises Cancelled to stop."""

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
        """A Report whose units and meanings come from METRICS and whose provenance is filled in.

        A metric is a number, a sequence of numbers, or (value, standard error).
        """


class Tolerant(float):
    """A reference value with a tolerance of its own, where the dtype's would be wrong.

    For counts and shares: one row that falls on the other side of a threshold by
    rounding moves a share by 1/n, however exact the arithmetic is.
    """

    tolerance: float

    def __new__(cls, value: float, tolerance: float) -> Tolerant:
        made = super().__new__(cls, value)
        made.tolerance = tolerance
        return made


Run = Generator[Report, None, None]
Reference = Mapping[str, Value]
