"""The tiled loop in words: what query 0 holds after each tile, and how memory grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from quizapp.lab.experiment import Measured
from quizapp.lab.maths.tiled import State
from quizapp.report import Curve, Matrix, Row, Series, Step, Table
from quizapp.text import Text
from quizapp.text.numbers import figure, size

#: Steps of the trace, and numbers of a vector, that are shown.
SHOWN_STEPS, SHOWN_WIDTH = 12, 6


@dataclass(frozen=True)
class Told:
    """Query 0 after each tile of keys; error is |o/l − output| at that point, the largest."""

    states: tuple[State, ...]
    errors: tuple[float, ...]

    @classmethod
    def of(cls, states: Sequence[State], standard: torch.Tensor) -> Told:
        """From the running states of one query and its standard output (d_v,)."""
        errors = [
            (state.output[0] / state.total[0] - standard).abs().max().item() for state in states
        ]
        return cls(tuple(states), tuple(errors))

    def steps(self) -> list[Step]:
        """One Step a tile: the first ones, and the last."""
        last = len(self.states) - 1
        shown = [i for i in range(last + 1) if i < SHOWN_STEPS - 1 or i == last]
        return [self._step(i) for i in shown]

    def _step(self, index: int) -> Step:
        state = self.states[index]
        tile_max, maximum, kept, total = (
            figure(x[0].item()) for x in (state.tile_max, state.maximum, state.kept, state.total)
        )
        if index == 0:
            en = f"The first tile sets m = {maximum}; its sum of exp(s − m) is l = {total}."
            zh = f"第一块确定 m = {maximum}；exp(s − m) 之和为 l = {total}。"
        elif state.maximum[0] > self.states[index - 1].maximum[0]:
            en = (
                f"This tile's largest score {tile_max} raises m: what was summed before is "
                f"multiplied by c = {kept}. l = {total}."
            )
            zh = f"本块最大分数 {tile_max} 抬高了 m：之前的和乘以 c = {kept}。l = {total}。"
        else:
            en = f"Its largest score {tile_max} stays below m = {maximum}: l grows to {total}."
            zh = f"本块最大分数 {tile_max} 低于 m = {maximum}：l 增至 {total}。"
        off = figure(self.errors[index])
        return Step(
            title=Text.of({"en": f"tile {index}", "zh": f"第 {index} 块"}),
            note=Text.of(
                {
                    "en": f"{en} o/l is within {off} of the full output.",
                    "zh": f"{zh}o/l 与完整输出最多相差 {off}。",
                }
            ),
            matrices=(
                _row("m, c, l", torch.stack([state.maximum, state.kept, state.total], -1)),
                _row(f"o[:{SHOWN_WIDTH}]", state.output[:, :SHOWN_WIDTH]),
            ),
        )

    def table(self) -> Table:
        """Every tile: its own maximum, the running numbers and how far off the output still is."""
        rows = []
        for index, (state, error) in enumerate(zip(self.states, self.errors, strict=True)):
            values = (state.tile_max, state.maximum, state.kept, state.total)
            cells = (*(x[0].item() for x in values), error)
            rows.append(Row(label=Text.of(str(index)), cells=cells))
        return Table(
            id="tiles",
            title=Text.of({"en": "query 0, tile by tile", "zh": "查询 0，逐块"}),
            columns=(
                Text.of({"en": "tile's max", "zh": "本块最大"}),
                Text.of("m"),
                Text.of("c"),
                Text.of("l"),
                Text.of({"en": "error of o/l", "zh": "o/l 的误差"}),
            ),
            rows=tuple(rows),
        )

    def curve(self) -> Curve:
        """m and m + ln l of query 0 over the tiles."""
        maxima = tuple(state.maximum[0].item() for state in self.states)
        sums = tuple((s.maximum[0] + s.total[0].log()).item() for s in self.states)
        return Curve(
            id="running",
            title=Text.of({"en": "running numbers of query 0", "zh": "查询 0 的累积量"}),
            x_label=Text.of({"en": "tile", "zh": "块"}),
            y_label=Text.of({"en": "score", "zh": "分数"}),
            x=tuple(float(i) for i in range(len(self.states))),
            series=(
                Series(name=Text.of("m"), values=maxima),
                Series(name=Text.of("m + ln l"), values=sums),
            ),
        )


def peaks(standard: int, tiled: int) -> dict[str, Measured]:
    """The metrics of one forward pass's peak bytes."""
    return {
        "peak_bytes_standard": float(standard),
        "peak_bytes_tiled": float(tiled),
        "peak_ratio": standard / tiled,
    }


def memory_curve(peaks: Mapping[int, tuple[int, int]]) -> Curve:
    """Peak bytes, standard and tiled, over sequence length."""
    names = ({"en": "standard", "zh": "标准"}, {"en": "tiled", "zh": "分块"})
    return Curve(
        id="memory",
        title=Text.of({"en": "peak memory of a forward pass", "zh": "一次前向的峰值内存"}),
        x_label=Text.of({"en": "sequence length", "zh": "序列长度"}),
        y_label=Text.of({"en": "bytes", "zh": "字节"}),
        x=tuple(float(length) for length in peaks),
        series=tuple(
            Series(name=Text.of(name), values=tuple(float(pair[i]) for pair in peaks.values()))
            for i, name in enumerate(names)
        ),
        log_x=True,
        log_y=True,
    )


def summary(metrics: Mapping[str, Measured]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    error = figure(_number(metrics["max_abs_error"]))
    if "peak_ratio" not in metrics:
        return {
            "en": f"the tiled output differs from the standard one by at most {error}",
            "zh": f"分块输出与标准输出最多相差 {error}",
        }
    standard, tiles = (size(_number(metrics[f"peak_bytes_{way}"])) for way in ("standard", "tiled"))
    return {
        "en": f"the tiled output differs by at most {error}; at its peak the standard way holds "
        f"{standard} beyond the inputs, the tiled one {tiles}",
        "zh": f"分块输出最多相差 {error}；峰值时标准做法除输入外占用 {standard}，分块占用 {tiles}",
    }


def _number(value: Measured) -> float:
    assert isinstance(value, (int, float))
    return float(value)


def _row(name: str, values: torch.Tensor) -> Matrix:
    listed: list[float] = values[0].double().tolist()
    return Matrix(name=name, axes=("", ""), shape=(1, len(listed)), values=(tuple(listed),))
