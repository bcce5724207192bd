"""The trainings of a grid as curves over steps and over rates, and as one table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from quizapp.lab.experiment import Measured, both
from quizapp.lab.maths.training_results import Ended, Grid, capped, over_runs
from quizapp.lab.wording.scale_choice import SCALE
from quizapp.lab.wording.train_scaling import TWINS
from quizapp.report import Curve, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

    from quizapp.lab.maths.scales import Scale
    from quizapp.lab.maths.training import Measures

Words = Mapping[str, str]

#: Points along the steps: each the mean of as many steps as it takes.
POINTS: Final = 50
#: More lines than these are a tangle; the table has them all.
DRAWN: Final = ("none", "log_d_k", "cbrt_d_k", "sqrt_d_k", "d_k")
_STEP: Final = both("step", "步")
_LOSS: Final = both("loss", "损失")


def live(history: Measures, scales: Sequence[Scale], grid: Grid, steps: int) -> list[Curve]:
    """So far: loss, gradient norm at W_q and W_k, row entropy at the shared rate; loss by rate.

    history: the steps so far, (t, A, R, N); steps: how many there will be.
    """
    rate = figure(grid.rates[grid.shared])
    at = both(f", all at rate {rate}", f"（学习率均为 {rate}）")
    drawn = {
        "loss": (both("loss", "损失"), capped(history.loss, grid.guess), _LOSS, False),
        "gradient": (
            both("gradient norm at W_q and W_k", "W_q、W_k 的梯度范数"),
            history.qk_gradient,
            both("norm", "范数"),
            True,
        ),
        "entropy": (
            both("entropy of a row of weights", "每行权重的熵"),
            history.entropy,
            both("nats", "nats"),
            False,
        ),
    }
    curves = [
        _over_steps(
            plot_id,
            {language: title[language] + at[language] for language in title},
            y_label,
            _drawn(scales, values[:, :, grid.shared]),
            steps,
            log_y=log,
        )
        for plot_id, (title, values, y_label, log) in drawn.items()
    ]
    return [*curves, by_rate(history, scales, grid)]


def _drawn(scales: Sequence[Scale], values: torch.Tensor) -> tuple[list[Text], torch.Tensor]:
    """Names and values (…, L, N) of the scales that are drawn, of all (…, A, N)."""
    kept = [at for at, scale in enumerate(scales) if scale in DRAWN]
    return [Text.of(SCALE[scales[at]]) for at in kept], values[..., kept, :]


def _over_steps(
    plot_id: str,
    title: Words,
    y_label: Words,
    lines: tuple[list[Text], torch.Tensor],
    steps: int,
    *,
    log_y: bool = False,
) -> Curve:
    """Lines (t, L, N) over the steps, in means of neighbouring steps; ± their spread over runs."""
    import torch

    width = math.ceil(steps / POINTS)
    names, values = lines
    means, spreads = over_runs(torch.stack([part.mean(0) for part in torch.split(values, width)]))
    return Curve(
        id=plot_id,
        title=Text.of(title),
        x_label=Text.of(_STEP),
        y_label=Text.of(y_label),
        x=tuple(float(start) for start in range(0, len(values), width)),
        series=_series(names, means.mT, None if log_y else spreads.mT),
        log_y=log_y,
    )


def _series(
    names: Sequence[Text], means: torch.Tensor, spreads: torch.Tensor | None
) -> tuple[Series, ...]:
    """One line for each name, from (L, points)."""
    around = [None] * len(names) if spreads is None else [tuple(x) for x in spreads.tolist()]
    return tuple(
        Series(name=name, values=tuple(values), spread=spread)
        for name, values, spread in zip(names, means.tolist(), around, strict=True)
    )


def by_rate(history: Measures, scales: Sequence[Scale], grid: Grid) -> Curve:
    """Loss by learning rate over the last tenth of the steps so far."""
    names, losses = _drawn(scales, Ended.of(history, grid.guess).loss.movedim(1, 0))  # (R, L, N)
    count = len(history.loss)
    return Curve(
        id="loss_by_rate",
        title=Text.of(
            both(f"loss by learning rate, after {count} steps", f"{count} 步后各学习率的损失")
        ),
        x_label=Text.of(both("learning rate", "学习率")),
        y_label=Text.of(_LOSS),
        x=grid.rates,
        series=_series(names, losses.mean(-1).mT, losses.std(-1).mT),
        log_x=True,
    )


def at_best(history: Measures, scales: Sequence[Scale], grid: Grid) -> Curve:
    """Loss of each scale at its own best rate."""
    import torch

    end = Ended.of(history, grid.guess)
    losses = capped(history.loss, grid.guess)
    best = torch.stack([losses[:, at, int(rate)] for at, rate in enumerate(end.best)], 1)
    title = both("loss, each at its own best rate", "损失（各自最佳学习率）")
    return _over_steps("loss_at_best", title, _LOSS, _drawn(scales, best), len(losses))


def same_training(twins: torch.Tensor, guess: float) -> Curve:
    """Loss of the twins (T, 1 + 4, N): the scaled training first, then TWINS."""
    names = [Text.of(SCALE["sqrt_d_k"]), *(Text.of(label) for label, _ in TWINS.values())]
    title = both("scaled, and unscaled with changes (float64)", "缩放，与改动后的不缩放（float64）")
    return _over_steps("same_training", title, _LOSS, (names, capped(twins, guess)), len(twins))


def table(scales: Sequence[Scale], found: Mapping[str, Measured]) -> Table:
    """Every scale: loss at the shared rate, at its own best, that rate, and shares of the grid."""
    columns = {
        "loss": both("shared rate", "共用学习率"),
        "best_loss": both("own best", "最佳学习率"),
        "best_rate": both("best rate", "最佳值"),
        "learned_share": both("learned", "学会"),
        "diverged_share": both("diverged", "发散"),
    }
    lists = {name: _values(found[f"{name}_by_scale"]) for name in columns}
    return Table(
        id="scales",
        title=Text.of(both("loss at the end, by scale", "各取法的末尾损失")),
        columns=tuple(Text.of(words) for words in columns.values()),
        units=tuple("share" if name.endswith("share") else "" for name in columns),
        rows=tuple(
            Row(label=Text.of(SCALE[scale]), cells=tuple(lists[name][at] for name in columns))
            for at, scale in enumerate(scales)
        ),
    )


def _values(measured: Measured) -> Sequence[float]:
    value = measured[0] if isinstance(measured, tuple) else measured
    if isinstance(value, int | float):
        raise TypeError("a list over the scales was expected")
    return value
