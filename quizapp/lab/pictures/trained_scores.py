"""The plots, the table and the sentence of `trained_scores`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from quizapp.lab.experiment import Measured, both
from quizapp.lab.maths.training_results import Ended, capped
from quizapp.lab.wording.trained_scores import FACTOR, METRICS
from quizapp.report import Curve, Histogram, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

    from quizapp.lab.maths.training import Measures

BINS: Final = 40
_STEP: Final = both("step", "步")
_BEST: Final = both(", each at its best rate so far", "（各用目前最佳学习率）")


def curves(
    readings: Sequence[Mapping[str, torch.Tensor]], every: int, history: Measures, guess: float
) -> list[Curve]:
    """Score std and row entropy at each reading, loss at each step, at the best rates so far.

    readings: "std" and "entropy" (A, R, N), at steps 0, every, 2·every, …
    """
    import torch

    best = Ended.of(history, guess).best
    scales = torch.arange(len(best))
    steps = [float(every * at) for at in range(len(readings))]

    def read(name: str) -> torch.Tensor:
        return torch.stack([one[name][scales, best].mean(-1) for one in readings])  # (t, A)

    losses = capped(history.loss, guess)[:, scales, best].mean(-1)
    means = torch.stack([part.mean(0) for part in torch.split(losses, every)])
    std = both("std of the scores the softmax sees", "softmax 所见分数的标准差")
    entropy = both("entropy of a row, nats", "每行权重的熵（nats）")
    loss = both("loss", "损失")
    return [
        _curve("std", std, steps, read("std"), log_y=True),
        _curve("entropy", entropy, steps, read("entropy")),
        _curve("loss", loss, [float(every * at) for at in range(len(means))], means),
    ]


def _curve(
    plot_id: str,
    title: Mapping[str, str],
    x: Sequence[float],
    values: torch.Tensor,
    *,
    log_y: bool = False,
) -> Curve:
    """One line for each scale from (t, A)."""
    return Curve(
        id=plot_id,
        title=Text.of({language: title[language] + _BEST[language] for language in title}),
        x_label=Text.of(_STEP),
        y_label=Text.of(title),
        x=tuple(x),
        series=tuple(
            Series(name=Text.of(name), values=tuple(line))
            for name, line in zip(FACTOR.values(), values.mT.tolist(), strict=True)
        ),
        log_y=log_y,
    )


def scores(seen: torch.Tensor, own: torch.Tensor, when: Literal["start", "end"]) -> Histogram:
    """Seen scores (N, B, S_q, S_k) of the √d_k head, own keys and others, as shares of each."""
    import torch

    seen = seen.cpu().double()
    finite = seen[seen.isfinite()]
    high = max(finite.abs().max().item() if len(finite) else 1.0, 1e-9)
    edges = torch.linspace(-high, high, BINS + 1, dtype=torch.float64)
    names = both("its own keys", "自己的键"), both("other keys", "其他键")
    series = []
    for name, keys in zip(names, (own, ~own), strict=True):
        counts = torch.histogram(seen[..., keys].flatten().nan_to_num(), edges).hist
        series.append(Series(name=Text.of(name), values=tuple((counts / counts.sum()).tolist())))
    titles = {
        "start": both("scores over √d_k, before training", "除以 √d_k 的分数，训练之前"),
        "end": both("scores over √d_k, trained", "除以 √d_k 的分数，训练之后"),
    }
    return Histogram(
        id="scores",
        title=Text.of(titles[when]),
        x_label=Text.of(both("score", "分数")),
        edges=tuple(edges.tolist()),
        series=tuple(series),
    )


def table(metrics: Mapping[str, Measured]) -> Table:
    """Each factor: score std at the start, if independent, trained; entropy; loss; rate."""
    columns = ("initial_std", "independent_std", "final_std", "final_entropy", "final_loss")
    lists = [_values(metrics[name]) for name in columns]
    return Table(
        id="factors",
        title=Text.of(both("before and after training", "训练前后")),
        columns=tuple(METRICS[name].label for name in columns),
        units=tuple(METRICS[name].unit for name in columns),
        rows=tuple(
            Row(label=Text.of(name), cells=tuple(one[at] for one in lists))
            for at, name in enumerate(FACTOR.values())
        ),
    )


def summary(task: str, d_k: int, metrics: Mapping[str, Measured]) -> Mapping[str, str]:
    """One sentence with the figures of this run."""

    def listed(name: str) -> list[str]:
        return [figure(value) for value in _values(metrics[name])]

    tasks = {"recall": both("recall", "联想回忆"), "regression": both("regression", "回归")}
    start, end, loss = (listed(name) for name in ("initial_std", "final_std", "final_loss"))
    apart = figure(_values(metrics["alignment"])[1])
    return both(
        f"{tasks[task]['en'].capitalize()}, d_k = {d_k}, each factor at its own best rate: score "
        f"std {start[0]}, {start[1]}, {start[2]} before training (no scale, 1/√d_k, 1/d_k), "
        f"{end[0]}, {end[1]}, {end[2]} after it, at losses {loss[0]}, {loss[1]}, {loss[2]}; with "
        f"1/√d_k that is {apart} times what independent q and k of these lengths would give.",
        f"{tasks[task]['zh']}，d_k = {d_k}，各用最佳学习率：分数标准差训练前为 {start[0]}、"
        f"{start[1]}、{start[2]}（不缩放、1/√d_k、1/d_k），训练后为 {end[0]}、{end[1]}、{end[2]}，"
        f"损失 {loss[0]}、{loss[1]}、{loss[2]}；"
        f"1/√d_k 时是同样长度、相互独立的 q、k 的 {apart} 倍。",
    )


def _values(measured: Measured) -> Sequence[float]:
    value = measured[0] if isinstance(measured, tuple) else measured
    if isinstance(value, int | float):
        raise TypeError("a list over the factors was expected")
    return value
