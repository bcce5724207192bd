"""The table, the plots and the sentence of `norms`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizapp.lab.experiment import both
from quizapp.lab.maths.norms import Model
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.wording import norms as wording
from quizapp.report import Curve, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

Lists = Mapping[str, tuple[Sequence[float], Sequence[float]]]
#: The lowest number drawn: 0 has no place on a log axis.
FLOOR = 1e-12
COLUMNS = ("score_std", "entropy", "saturated_share", "query_gradient")


def table(lists: Lists) -> Table:
    """A line for each layer."""
    infos = [wording.METRICS[f"{name}_by_layer"] for name in COLUMNS]
    columns = [lists[name][0] for name in COLUMNS]
    return Table(
        id="layers",
        title=Text.of(both("layer by layer", "逐层")),
        columns=tuple(info.label for info in infos),
        units=tuple(info.unit for info in infos),
        rows=tuple(
            Row(label=Text.of(both(f"layer {i}", f"第 {i} 层")), cells=cells)
            for i, cells in enumerate(zip(*columns, strict=True), 1)
        ),
    )


def curves(lists: Lists) -> list[Curve]:
    """Scores and stream over depth, and the gradient on its way back."""
    return [
        _curve("by_depth", both("over depth", "随深度"), ("stream_rms", "score_std"), lists),
        _curve(
            "gradient_by_depth", both("gradient over depth", "梯度随深度"), ("gradient",), lists
        ),
    ]


def _curve(plot_id: str, title: dict[str, str], names: tuple[str, ...], lists: Lists) -> Curve:
    """Against the layers passed; scores belong to the layer that is about to be passed."""
    points = min(len(lists[name][0]) for name in names)
    return Curve(
        id=plot_id,
        title=Text.of(title),
        x_label=Text.of(both("layers passed", "已经过的层数")),
        y_label=Text.of(both("std or rms", "标准差或均方根")),
        x=tuple(float(i) for i in range(points)),
        series=tuple(
            Series(
                name=wording.METRICS[f"{name}_by_layer"].label,
                values=tuple(max(value, FLOOR) for value in lists[name][0][:points]),
            )
            for name in names
        ),
        log_y=True,
    )


def summary(model: Model, found: Mapping[str, Sampled]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    first, last, growth, gradient = (
        figure(found[name][0])
        for name in ("score_std", "last_score_std", "stream_growth", "input_gradient")
    )
    norm, place = wording.NORM[model.norm], wording.PLACE[model.place]
    name = {lang: norm[lang] for lang in ("en", "zh")}
    if model.norm != "none":
        name = {"en": f"{place['en']}-{norm['en']}", "zh": f"{place['zh']} {norm['zh']}"}
    return both(
        f"{name['en']}, untrained: the scores' std is {first} in layer 1 and {last} in layer "
        f"{model.layers}; the stream grows {growth} times; gradient at the input {gradient}.",
        f"{name['zh']}，未训练：分数标准差第 1 层为 {first}，第 {model.layers} 层为 {last}；"
        f"残差流增长 {growth} 倍；输入处梯度 {gradient}。",
    )
