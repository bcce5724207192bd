"""The pictures of `init_variance`: every layer in a table, scores, and Var(q) against width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quizapp.lab.experiment import Measured
from quizapp.lab.maths.projections import INITS
from quizapp.lab.wording import cross_attention
from quizapp.lab.wording import init_variance as wording
from quizapp.report import Curve, Histogram, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    from quizapp.lab.experiments.init_variance import Params
    from quizapp.lab.maths.init_variance import Draw

BINS = 48
_COLUMNS = ("var_q", "promised_var_q", "var_k", "scaled_std", "entropy", "max_weight")


def number(value: Measured) -> float:
    """The value of a single measure, its standard error left out."""
    single = value[0] if isinstance(value, tuple) else value
    if not isinstance(single, (int, float)):
        raise TypeError(f"expected one number, got {value!r}")
    return float(single)


def summary(params: Params, metrics: Mapping[str, Measured]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    shown = {
        name: figure(number(metrics[name]))
        for name in ("var_q", "var_k", "scaled_std", "score_std")
    }
    yes = number(metrics["unit_variance"]) == 1
    return {
        "en": f"{INITS[params.init]}, untrained: Var(q) {shown['var_q']}, Var(k) "
        f"{shown['var_k']}, {'' if yes else 'not '}both 1; std of the scores "
        f"{shown['score_std']}, scaled {shown['scaled_std']}",
        "zh": f"{INITS[params.init]}，未训练：Var(q) {shown['var_q']}，Var(k) "
        f"{shown['var_k']}，{'都是' if yes else '并非都是'} 1；分数标准差 "
        f"{shown['score_std']}，缩放后 {shown['scaled_std']}",
    }


def table(every: Mapping[str, Mapping[str, Measured]], draws: int) -> Table:
    """A line for each layer: measured, promised, and what the softmax makes of it."""
    labels = [wording.METRICS[name].label for name in _COLUMNS]
    words = {1.0: {"en": "yes", "zh": "是"}, 0.0: {"en": "no", "zh": "否"}}
    return Table(
        id="inits",
        title=Text.of({"en": f"{draws} fresh layers of each kind", "zh": f"每种 {draws} 个新层"}),
        columns=(*labels, wording.METRICS["unit_variance"].label, Text.of(cross_attention.MADE_BY)),
        rows=tuple(
            Row(
                label=Text.of(init),
                cells=(
                    *(number(found[name]) for name in _COLUMNS),
                    Text.of(words[number(found["unit_variance"])]),
                    Text.of(INITS[init]),
                ),
            )
            for init, found in every.items()
        ),
    )


def scores(draws: Sequence[Draw]) -> Histogram:
    """Scaled scores of all draws: two different tokens, and each token with itself."""
    import torch

    others, own = torch.cat([d.others for d in draws]), torch.cat([d.own for d in draws])
    high = max(4 * others.std().item(), own.abs().max().item(), 1e-9)
    edges = torch.linspace(-high, high, BINS + 1, dtype=torch.float64)
    return Histogram(
        id="scores",
        title=Text.of({"en": "scaled scores", "zh": "缩放后的分数"}),
        x_label=Text.of("q·k / √d_k"),
        edges=tuple(edges.tolist()),
        series=tuple(
            Series(name=Text.of(name), values=tuple(torch.histogram(part, edges).hist.tolist()))
            for name, part in ((wording.OTHERS, others), (wording.OWN, own))
        ),
    )


def widths(params: Params, metrics: Mapping[str, Measured]) -> Curve:
    """Var(q) of the chosen layer against d_model, measured and promised."""
    measured, promised = metrics["var_q_by_width"], metrics["promised_by_width"]
    x = metrics["widths"]
    assert isinstance(measured, tuple)
    assert isinstance(measured[0], list)
    assert isinstance(promised, list)
    assert isinstance(x, list)
    names = ({"en": "measured", "zh": "实测"}, {"en": "theory", "zh": "理论"})
    return Curve(
        id="widths",
        title=Text.of(
            {"en": f"Var(q) by width: {params.init}", "zh": f"Var(q) 随维度：{params.init}"}
        ),
        x_label=Text.of("d_model"),
        y_label=Text.of("Var(q)"),
        x=tuple(x),
        series=tuple(
            Series(name=Text.of(name), values=tuple(values))
            for name, values in zip(names, (measured[0], promised), strict=True)
        ),
        log_x=True,
        log_y=True,
    )
