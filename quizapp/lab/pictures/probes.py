"""The pictures of `probes`: readings by layer, faults against probes, gradients, losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quizapp.lab.maths.probe_readings import Readings
from quizapp.lab.wording import probes as wording
from quizapp.report import Curve, HeatMap, Row, Series, Table
from quizapp.text import Text

if TYPE_CHECKING:
    from quizapp.lab.experiments.probes import Params
    from quizapp.lab.maths.probes import Seen

#: The smallest gradient drawn: 0 has no place on a log axis.
FLOOR = 1e-6
_FIRES = {True: {"en": "fires", "zh": "报警"}, False: {"en": "·", "zh": "·"}}


def summary(params: Params, fired: Mapping[str, bool]) -> dict[str, str]:
    """One sentence: which probes fire on this model."""
    fault = wording.FAULTS[params.fault]
    names = [wording.PROBES[name] for name, fires in fired.items() if fires]
    return {
        "en": f"{fault['en']}, untrained: {len(names)} of {len(fired)} probes fire"
        + (": " + ", ".join(name["en"] for name in names) if names else ""),
        "zh": f"{fault['zh']}，未训练：{len(fired)} 个探针中 {len(names)} 个报警"
        + ("：" + "、".join(name["zh"] for name in names) if names else ""),
    }


def layers(params: Params, readings: Readings) -> Table:
    """A line for each layer, with the head that stands out most."""
    names = ("score_mean", "score_std", "q_variance", "max_weight", "grad_qk", "grad_v")
    heads = params.heads
    return Table(
        id="layers",
        title=Text.of({"en": "readings by layer", "zh": "各层读数"}),
        columns=tuple(wording.METRICS[name].label for name in names),
        rows=tuple(
            Row(
                label=Text.of({"en": f"layer {i + 1}", "zh": f"第 {i + 1} 层"}),
                cells=(
                    readings.score_mean[i],
                    readings.score_std[i],
                    readings.q_variance[i],
                    max(readings.max_weight[heads * i : heads * (i + 1)]),
                    readings.grad_qk[i],
                    readings.grad_v[i],
                ),
            )
            for i in range(params.layers)
        ),
    )


def matrix(found: Mapping[str, Readings]) -> Table:
    """Every probe against every fault: which fires."""
    fired = {fault: found[fault].fires() for fault in wording.HEADS}
    return Table(
        id="catches",
        title=Text.of({"en": "which probe catches which fault", "zh": "哪个探针查出哪个故障"}),
        columns=tuple(Text.of(head) for head in wording.HEADS.values()),
        rows=tuple(
            Row(
                label=Text.of(label),
                cells=tuple(Text.of(_FIRES[fires[probe]]) for fires in fired.values()),
            )
            for probe, label in wording.PROBES.items()
        ),
    )


def weights(seen: Seen) -> HeatMap:
    """Weights of the first head of the first layer on the first sequence."""
    from quizapp.lab.pictures.rows import weight_map

    return weight_map("weights", wording.WEIGHTS, seen.weights[0][0, 0])


def gradients(mine: Readings, whole: Readings) -> Curve:
    """Gradient norms of this model and of the healthy one, layer by layer."""
    healthy = {"en": ", healthy", "zh": "（健康）"}
    lines = [
        ({"en": "W_q, W_k", "zh": "W_q、W_k"}, "grad_qk"),
        ({"en": "W_v", "zh": "W_v"}, "grad_v"),
    ]
    series = [
        _series({code: name[code] + tail.get(code, "") for code in name}, getattr(of, field))
        for tail, of in (({}, mine), (healthy, whole))
        for name, field in lines
    ]
    return Curve(
        id="gradients",
        title=Text.of({"en": "gradient norm by layer", "zh": "各层的梯度范数"}),
        x_label=Text.of({"en": "layer", "zh": "层"}),
        y_label=Text.of({"en": "norm", "zh": "范数"}),
        x=tuple(float(i + 1) for i in range(len(mine.grad_v))),
        series=tuple(series),
        log_y=True,
    )


def _series(name: Mapping[str, str], values: Sequence[float]) -> Series:
    return Series(name=Text.of(name), values=tuple(max(value, FLOOR) for value in values))


def training(losses: Mapping[str, Sequence[float]]) -> Curve:
    """Loss on the one batch, step by step, of this model and of the healthy one."""
    length = len(next(iter(losses.values())))
    return Curve(
        id="training",
        title=Text.of({"en": "loss on one batch", "zh": "同一批上的损失"}),
        x_label=Text.of({"en": "step", "zh": "步"}),
        y_label=Text.of({"en": "loss", "zh": "损失"}),
        x=tuple(float(step) for step in range(length)),
        series=tuple(
            Series(name=Text.of(wording.FAULTS[fault]), values=tuple(values))
            for fault, values in losses.items()
        ),
    )
