"""Writes docs/experiments.md from the experiments themselves: python docs/experiments.py."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from quizapp.lab.catalogue import catalogue, load
from quizapp.report import ExperimentInfo, MetricInfo, ParamInfo

TARGET = Path(__file__).with_suffix(".md")

HEAD = """# The experiments

Every experiment that `quizapp run` and `quizapp lab` know, with what it takes and what it
reports. Made from the code by `python docs/experiments.py`; a test fails when it is stale.
Every experiment also takes `seed`, and every number comes with its unit and meaning in
English and Chinese (`quizapp --lang zh run NAME`). *± se*: with a standard error.
"""


def page() -> str:
    """The whole page."""
    infos = catalogue().experiments.values()
    contents = "\n".join(f"- [{i.name}](#{i.name}): {i.claim.to('en')}" for i in infos)
    return "\n".join([HEAD, contents, "", *("\n".join(section(info)) for info in infos)])


def section(info: ExperimentInfo) -> Iterator[str]:
    """One experiment: claim, the file's own equations, parameters, numbers, plots."""
    doc = (load(info.name).__doc__ or "").strip().split("\n", 1)
    yield f"## {info.name}\n"
    yield f"{info.claim.to('en')}\n"
    if len(doc) > 1:
        yield f"```text\n{doc[1].strip(chr(10)).rstrip()}\n```\n"
    yield f"`quizapp run {info.name}`. Checked a second way: {load(info.name).METHOD['en']}.\n"
    yield "| Parameter | Default | Takes | Is |"
    yield "|---|---|---|---|"
    for param in info.params.values():
        if param.name != "seed":
            yield f"| `{param.name}` | {_value(param)} | {_takes(param)} | {param.help.to('en')} |"
    yield ""
    yield "| Number | Unit | Is |"
    yield "|---|---|---|"
    for name, metric in info.metrics.items():
        yield f"| `{name}` | {_unit(metric)} | {_cell(metric.meaning.to('en'))} |"
    if info.plots:
        yield f"\nPlots: {', '.join(f'`{plot}`' for plot in info.plots)}."
    yield ""


def _value(param: ParamInfo) -> str:
    default = param.default
    return ", ".join(f"{x:g}" for x in default) if isinstance(default, tuple) else f"{default}"


def _takes(param: ParamInfo) -> str:
    if param.kind == "choice":
        return ", ".join(f"`{choice}`" for choice in param.choices)
    noun = {"int": "whole number", "float": "number", "floats": "numbers", "bool": "true or false"}
    if param.low is None or param.high is None:
        return noun[param.kind]
    return f"{param.low:,g} to {param.high:,g}"


def _unit(metric: MetricInfo) -> str:
    return (metric.unit or "–") + (" ± se" if metric.sampled else "") + _range(metric)


def _range(metric: MetricInfo) -> str:
    if math.isfinite(metric.low) and math.isfinite(metric.high):
        return f", {metric.low:g} to {metric.high:.3g}"
    return ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
