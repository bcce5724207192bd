"""The table, the plots and the sentence of `attention_sinks`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from quizapp.lab.experiment import Measured, both
from quizapp.lab.wording.attention_sinks import ARMS
from quizapp.report import Curve, HeatMap, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

    from quizapp.lab.experiments.attention_sinks import Params
    from quizapp.lab.maths.sink_results import Ended

#: Points along the steps: each the mean of as many steps as it takes.
POINTS: Final = 60


def live(lines: Mapping[str, torch.Tensor]) -> list[Curve]:
    """Weight on the first token and loss above the best possible, so far: (t, A, N) each."""
    words = {
        "first_weight": (
            both("idle queries' weight on the first token", "空闲查询给首词元的权重"),
            both("weight", "权重"),
        ),
        "loss": (
            both("training loss above the best possible", "训练损失高出最优的部分"),
            both("nats", "nats"),
        ),
    }
    return [_over_steps(name, *words[name], values) for name, values in lines.items()]


def _over_steps(
    plot_id: str, title: dict[str, str], y_label: dict[str, str], values: torch.Tensor
) -> Curve:
    """A line for each arm, in means of neighbouring steps; ± the spread over runs."""
    import torch

    width = math.ceil(len(values) / POINTS)
    points = torch.stack([part.mean(0) for part in torch.split(values, width)])
    return Curve(
        id=plot_id,
        title=Text.of(title),
        x_label=Text.of(both("step", "步")),
        y_label=Text.of(y_label),
        x=tuple(float(start) for start in range(0, len(values), width)),
        series=_series(points.mean(-1).mT, points.std(-1).mT),
    )


def _series(means: torch.Tensor, spreads: torch.Tensor | None = None) -> tuple[Series, ...]:
    """A line for each arm, from (A, points)."""
    around = [None] * len(means) if spreads is None else [tuple(x) for x in spreads.tolist()]
    return tuple(
        Series(name=Text.of(name), values=tuple(values), spread=spread)
        for name, values, spread in zip(ARMS.values(), means.tolist(), around, strict=True)
    )


def values(lengths: torch.Tensor) -> Curve:
    """Length of a value at each position, over the mean of all but the first: (A, T)."""
    return Curve(
        id="values",
        title=Text.of(both("length of the values", "值向量的长度")),
        x_label=Text.of(both("position", "位置")),
        y_label=Text.of(both("‖v‖, relative", "相对 ‖v‖")),
        x=tuple(float(at) for at in range(lengths.shape[-1])),
        series=_series(lengths.cpu().double()),
    )


def weights(params: Params, found: Ended) -> HeatMap:
    """One test sequence in the arm that is shown: first run, first head, last layer."""
    arm = list(ARMS).index(params.arm)
    name = ARMS[params.arm]
    rows = found.layers[-1].weights[arm, 0, 0, 0].cpu().double().tolist()
    return HeatMap(
        id="weights",
        title=Text.of(
            both(f"weights of one sequence, {name['en']}", f"一条序列的权重（{name['zh']}）")
        ),
        row_label=Text.of(both("query", "查询")),
        column_label=Text.of(both("key", "键")),
        values=tuple(tuple(row) for row in rows),
        low=0,
        high=1,
    )


def table(metrics: Mapping[str, Measured]) -> Table:
    """Every arm: where idle queries look, what comes through, and what an eviction costs."""
    columns = {
        "first_weight": both("first token", "首词元"),
        "let_through": both("let through", "放行"),
        "value_ratio": both("‖v‖ ratio", "‖v‖ 之比"),
        "excess_loss": both("loss above", "高出的损失"),
        "eviction_cost": both("recent only", "只留最近"),
        "kept_cost": both("and first", "再留首词元"),
    }
    lists = {name: _values(metrics[f"{name}_by_arm"]) for name in columns}
    return Table(
        id="arms",
        title=Text.of(both("all four, trained alike", "四种，同样训练")),
        columns=tuple(Text.of(words) for words in columns.values()),
        rows=tuple(
            Row(label=Text.of(name), cells=tuple(lists[column][at] for column in columns))
            for at, name in enumerate(ARMS.values())
        ),
    )


def _values(measured: Measured) -> Sequence[float]:
    value = measured[0] if isinstance(measured, tuple) else measured
    return value if isinstance(value, Sequence) else [value]


def summary(params: Params, metrics: Mapping[str, Measured]) -> dict[str, str]:
    """One sentence on the arm that is shown, with the figures of this run."""

    def n(name: str) -> str:
        return figure(_values(metrics[name])[0])

    def cost(name: str) -> str:
        # Adding 0.0 turns a rounded −0.0 into 0.0.
        return f"{round(_values(metrics[name])[0], 3) + 0.0:+.3f}"

    arm = ARMS[params.arm]
    return both(
        f"{arm['en']}, {params.steps} steps: where there is nothing to copy the first token gets "
        f"{n('first_weight')} of the weight (even: {n('even_weight')}), its value has "
        f"{n('value_ratio')} of the others' length; the loss changes by {cost('eviction_cost')} "
        f"nats with only {params.window} recent keys, by {cost('kept_cost')} with the first too.",
        f"{arm['zh']}，{params.steps} 步：无需复制时首词元得到 {n('first_weight')} 的权重"
        f"（均匀为 {n('even_weight')}），其值向量长度为其余的 {n('value_ratio')}；"
        f"只留最近 {params.window} 个键，损失变化 {cost('eviction_cost')} nats，"
        f"再留首词元则为 {cost('kept_cost')}。",
    )
