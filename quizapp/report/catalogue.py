"""`Catalogue`: what can be measured, as plain data.

The lab makes it from the experiment files; banks are checked against it and
forms are drawn from it, without either of them importing the lab.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from quizapp.text import Text

ParamValue = int | float | bool | str | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ParamInfo:
    """One parameter a learner may vary.

    kind: what it holds; low and high: its bounds (None where it has none);
    step: how `+` and `-` move it ("double" for sizes, else "one").
    """

    name: str
    kind: Literal["int", "float", "bool", "choice", "floats"]
    default: ParamValue
    help: Text
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    step: Literal["one", "double"] = "one"


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """One number an experiment reports: unit, wording and the range it can plausibly have.

    sampled: whether it comes with a standard error. nan: whether NaN is a result of its own,
    measured on purpose, and not a run gone wrong.
    """

    unit: str
    label: Text
    meaning: Text
    low: float = float("-inf")
    high: float = float("inf")
    sampled: bool = False
    nan: bool = False


@dataclass(frozen=True, slots=True)
class ExperimentInfo:
    """One experiment: its claim in a line, what it takes and what it reports."""

    name: str
    claim: Text
    params: Mapping[str, ParamInfo]
    metrics: Mapping[str, MetricInfo]
    plots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All experiments by name; of those whose files cannot be loaded, why not."""

    experiments: Mapping[str, ExperimentInfo] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
