"""`Report`: the numbers of one run, as data.

Experiments yield ever fuller Reports; they cross from the engine to the front as
JSON, and the same object is drawn, printed, saved and tested. Numbers that are
not finite travel as the strings "NaN", "Infinity" and "-Infinity".
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from quizapp.text import Text

FORMAT: Final = "quizapp-report/1"

#: The largest heat map and longest curve that may cross the wire.
HEAT_MAP_SIDE: Final = 64
CURVE_POINTS: Final = 200


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class Metric(_Data):
    """One measured number, or a list of them, with what it means.

    unit: "" for a pure number, "nats", "share" (of one), "B", "s", "ms".
    stderr: standard error of a sampled value, same length as `value`; None when exact.
    label: a few words for a table row; `meaning` is the whole sentence.
    """

    value: float | tuple[float, ...]
    unit: str
    meaning: Text
    label: Text
    stderr: float | tuple[float, ...] | None = None

    def scalar(self, index: int | None = None) -> float:
        """The value, or its `index`-th entry for a list (IndexError past its end)."""
        if isinstance(self.value, tuple):
            return self.value[0 if index is None else index]
        if index not in (None, 0):
            raise IndexError(index)
        return self.value

    def error(self, index: int | None = None) -> float | None:
        """The standard error that belongs to `scalar(index)`; None when exact."""
        if isinstance(self.stderr, tuple):
            return self.stderr[0 if index is None else index]
        return self.stderr


class Row(_Data):
    """One line of a table: its heading, then one cell per column."""

    label: Text
    cells: tuple[float | Text | None, ...]


class Table(_Data):
    """Numbers side by side. `columns` names the cells, not the label column."""

    id: str
    title: Text
    columns: tuple[Text, ...]
    rows: tuple[Row, ...]
    units: tuple[str, ...] = ()  # one per column; empty means pure numbers


class Series(_Data):
    """One line of a curve or one colour of a histogram. `spread` is ± one standard deviation."""

    name: Text
    values: tuple[float, ...]
    spread: tuple[float, ...] | None = None


class Curve(_Data):
    """Lines over a shared x axis, at most 200 points."""

    id: str
    title: Text
    x_label: Text
    y_label: Text
    x: tuple[float, ...]
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False


class Histogram(_Data):
    """Counts in bins: `edges` has one entry more than each series has values."""

    id: str
    title: Text
    x_label: Text
    edges: tuple[float, ...]
    series: tuple[Series, ...]


class HeatMap(_Data):
    """A matrix as colours, at most 64×64; row 0 is drawn at the top."""

    id: str
    title: Text
    row_label: Text
    column_label: Text
    values: tuple[tuple[float, ...], ...]
    low: float
    high: float


class Matrix(_Data):
    """A small tensor shown in full: `axes` names each dimension of `shape`."""

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]


class Step(_Data):
    """One step of a trace: what happens, and the matrices it leaves."""

    title: Text
    note: Text
    matrices: tuple[Matrix, ...] = ()


class CrossCheck(_Data):
    """The same numbers found a second way, in float64 NumPy, from the same inputs.

    `max_abs_diff` and `tolerance` belong to `metric`, the one that came closest
    to its limit; `compared` lists every metric that was recomputed.
    """

    ok: bool
    max_abs_diff: float
    tolerance: float
    metric: str
    compared: tuple[str, ...]
    method: Text


class Provenance(_Data):
    """Where the numbers come from: enough to make them again.

    tf32: whether float32 products kept only the 10 bits of TF32 (CUDA, on request).
    function: whose attention was computed: a learner's file; empty for ours.
    """

    device: str
    dtype: str
    torch: str
    seed: int
    params: dict[str, object]
    seconds: float
    tf32: bool = False
    function: str = ""


class Failure(_Data):
    """Why there are no numbers.

    kind: memory, device (absent, or cannot do that), lost (a device that was there), torch,
    params, not-finite, own (a learner's function), error, crashed.
    """

    kind: str
    text: Text


class Report(_Data):
    """One run of one experiment, complete or on its way."""

    format: Literal["quizapp-report/1"] = FORMAT
    experiment: str
    status: Literal["partial", "final", "failed"]
    progress: float | None = None  # 0 to 1 while partial
    summary: Text | None = None
    metrics: dict[str, Metric] = {}
    tables: tuple[Table, ...] = ()
    curves: tuple[Curve, ...] = ()
    histograms: tuple[Histogram, ...] = ()
    heat_maps: tuple[HeatMap, ...] = ()
    trace: tuple[Step, ...] = ()
    cross_check: CrossCheck | None = None
    provenance: Provenance | None = None
    warnings: tuple[Text, ...] = ()  # what a reader of the numbers must know
    failure: Failure | None = None

    def plot(self, plot_id: str) -> Curve | Histogram | HeatMap | None:
        """The curve, histogram or heat map of that id, if the run has made it yet."""
        plots: tuple[Curve | Histogram | HeatMap, ...] = (
            *self.curves,
            *self.histograms,
            *self.heat_maps,
        )
        return next((plot for plot in plots if plot.id == plot_id), None)
