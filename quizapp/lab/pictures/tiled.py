"""The tiled loop in words: what one query holds after each tile, and how memory grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from quizapp.lab.experiment import Measured
from quizapp.lab.maths.tiled import State
from quizapp.lab.wording import flash_attention as wording
from quizapp.report import Curve, Matrix, Row, Series, Step, Table
from quizapp.text import Text
from quizapp.text.numbers import figure, quantity, size

#: Steps of the trace, and numbers of a vector, that are shown.
SHOWN_STEPS, SHOWN_WIDTH = 12, 6


@dataclass(frozen=True)
class Told:
    """One query after each tile of keys; error is |o/l − output| at that point, the largest.

    tiles: how many there are for it, those that a causal mask lets it skip included.
    """

    query: int
    tiles: int
    states: tuple[State, ...]
    errors: tuple[float, ...]

    @classmethod
    def of(cls, query: int, tiles: int, states: Sequence[State], standard: torch.Tensor) -> Told:
        """From the running states of that query and its standard output (d_v,)."""
        errors = [
            (state.output[0] / state.total[0] - standard).abs().max().item() for state in states
        ]
        return cls(query, tiles, tuple(states), tuple(errors))

    def steps(self) -> list[Step]:
        """One Step a tile: the first ones, and the last; then those skipped, in one."""
        last = len(self.states) - 1
        shown = [i for i in range(last + 1) if i < SHOWN_STEPS - 1 or i == last]
        steps = [self._step(i) for i in shown]
        return steps if last + 1 == self.tiles else [*steps, self._skipped()]

    def _skipped(self) -> Step:
        first, last = len(self.states), self.tiles - 1
        which = f"{first}–{last}" if first < last else str(last)
        count = last + 1 - first
        plural = "s" if count > 1 else ""
        return Step(
            title=Text.of({"en": f"tile{plural} {which}: skipped", "zh": f"第 {which} 块：跳过"}),
            note=Text.of(
                {
                    "en": f"Every key here comes after query {self.query}, and after every query "
                    f"of its tile: no score is computed. {count} of {self.tiles} tiles skipped.",
                    "zh": f"这里的键都排在查询 {self.query} 及其同块查询之后：不计算任何分数。"
                    f"{self.tiles} 块中跳过 {count} 块。",
                }
            ),
            matrices=(),
        )

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
            title=Text.of(
                {"en": f"query {self.query}, tile by tile", "zh": f"查询 {self.query}，逐块"}
            ),
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
        """m and m + ln l of the query over the tiles."""
        maxima = tuple(state.maximum[0].item() for state in self.states)
        sums = tuple((s.maximum[0] + s.total[0].log()).item() for s in self.states)
        return Curve(
            id="running",
            title=Text.of(
                {
                    "en": f"running numbers of query {self.query}",
                    "zh": f"查询 {self.query} 的累积量",
                }
            ),
            x_label=Text.of({"en": "tile", "zh": "块"}),
            y_label=Text.of({"en": "score", "zh": "分数"}),
            x=tuple(float(i) for i in range(len(self.states))),
            series=(
                Series(name=Text.of("m"), values=maxima),
                Series(name=Text.of("m + ln l"), values=sums),
            ),
        )


def memory_curve(by_size: Mapping[int, Sequence[Measured | None]]) -> Curve:
    """Peak bytes over sequence length: standard, tiled, and fused where it could be measured."""
    names = wording.WAYS.values()
    lines = zip(names, zip(*by_size.values(), strict=True), strict=True)
    return Curve(
        id="memory",
        title=Text.of({"en": "peak memory of a forward pass", "zh": "一次前向的峰值内存"}),
        x_label=Text.of({"en": "sequence length", "zh": "序列长度"}),
        y_label=Text.of({"en": "bytes", "zh": "字节"}),
        x=tuple(float(length) for length in by_size),
        series=tuple(
            Series(name=Text.of(name), values=tuple(_number(value) for value in known))
            for name, values in lines
            if len(known := [value for value in values if value is not None]) == len(by_size)
        ),
        log_x=True,
        log_y=True,
    )


def ways_table(metrics: Mapping[str, Measured], kernel: str) -> Table:
    """The three ways side by side, torch's with the name of the backend that ran."""
    rows = []
    for way, label in wording.WAYS.items():
        names = wording.COLUMNS[way]
        named = dict(label)
        if way == "fused":
            named = {"en": f"{label['en']} ({kernel})", "zh": f"{label['zh']}（{kernel}）"}
        values = [None if name is None else metrics.get(name) for name in names]
        cells = [
            "—" if value is None else quantity(_number(value), unit)
            for value, (_, unit) in zip(values, wording.COLUMN_LABELS, strict=True)
        ]
        rows.append(Row(label=Text.of(named), cells=tuple(Text.of(cell) for cell in cells)))
    return Table(
        id="ways",
        title=Text.of({"en": "three ways to one output", "zh": "同一输出的三种做法"}),
        columns=tuple(Text.of(label) for label, _ in wording.COLUMN_LABELS),
        rows=tuple(rows),
    )


def summary(metrics: Mapping[str, Measured], kernel: str) -> dict[str, str]:
    """One sentence with the figures of this run, as far as it has come."""
    error = figure(_number(metrics["max_abs_error"]))
    if "peak_ratio" not in metrics:
        return {
            "en": f"the tiled output differs from the standard one by at most {error}",
            "zh": f"分块输出与标准输出最多相差 {error}",
        }
    standard, tiles = (size(_number(metrics[f"peak_bytes_{way}"])) for way in ("standard", "tiled"))
    words = {
        "en": f"the tiled output differs by at most {error}; at its peak the standard way holds "
        f"{standard} beyond the inputs, the tiled one {tiles}",
        "zh": f"分块输出最多相差 {error}；峰值时标准做法除输入外占用 {standard}，分块占用 {tiles}",
    }
    if "fused_error" not in metrics:
        return words
    theirs = figure(_number(metrics["fused_error"]))
    return {
        "en": f"{words['en']}; torch's own kernel ({kernel}) differs by at most {theirs}",
        "zh": f"{words['zh']}；torch 自带的内核（{kernel}）最多相差 {theirs}",
    }


def _number(value: Measured) -> float:
    assert isinstance(value, (int, float))
    return float(value)


def _row(name: str, values: torch.Tensor) -> Matrix:
    listed: list[float] = values[0].double().tolist()
    return Matrix(name=name, axes=("", ""), shape=(1, len(listed)), values=(tuple(listed),))
