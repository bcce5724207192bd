"""Finds the experiments and describes them as plain data, without torch or numpy."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import NoneType
from typing import Any, Literal, Protocol, cast, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from quizapp.errors import UsageError
from quizapp.lab import experiments
from quizapp.lab.experiment import BaseParams, Context, Reference, Run
from quizapp.report import Catalogue, ExperimentInfo, MetricInfo, ParamInfo
from quizapp.text import Text
from quizapp.text.nearest import nearest


class Experiment(Protocol):
    """The shape of a module in `quizapp/lab/experiments/`."""

    CLAIM: dict[str, str]
    METHOD: dict[str, str]
    METRICS: dict[str, MetricInfo]
    PLOTS: tuple[str, ...]
    Params: type[BaseParams]

    def run(self, params: BaseParams, ctx: Context) -> Run: ...

    def check(self, params: BaseParams, ctx: Context) -> Reference: ...


@cache
def names() -> tuple[str, ...]:
    """Every experiment's name, in alphabetical order; the files are not imported."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(experiments.__path__)))


def load(name: str) -> Experiment:
    """The module of that experiment. Raises UsageError with the closest name."""
    if name not in names():
        raise UsageError(
            f"there is no experiment called {name!r}",
            remedy=nearest(name, names()) or f"There are: {', '.join(names())}.",
        )
    return cast(Experiment, importlib.import_module(f"{experiments.__name__}.{name}"))


@cache
def describe(name: str) -> ExperimentInfo:
    """One experiment as plain data."""
    module = load(name)
    return ExperimentInfo(
        name=name,
        claim=Text.of(module.CLAIM),
        params={key: _param(key, f) for key, f in module.Params.model_fields.items()},
        metrics=module.METRICS,
        plots=module.PLOTS,
    )


@cache
def catalogue() -> Catalogue:
    """All experiments as plain data."""
    return Catalogue({name: describe(name) for name in names()})


def _param(name: str, field: FieldInfo) -> ParamInfo:
    extra = cast(dict[str, str], field.json_schema_extra or {})
    low = next((float(cast(float, m.ge)) for m in field.metadata if isinstance(m, Ge)), None)
    high = next((float(cast(float, m.le)) for m in field.metadata if isinstance(m, Le)), None)
    kind, choices = _kind(field.annotation)
    return ParamInfo(
        name=name,
        kind=kind,
        default=field.default,
        help=Text.of({"en": extra["en"], "zh": extra["zh"]}),
        low=low,
        high=high,
        choices=choices,
        step="double" if extra.get("step") == "double" else "one",
    )


def _kind(
    annotation: Any,
) -> tuple[Literal["int", "float", "bool", "choice", "floats"], tuple[str, ...]]:
    if get_origin(annotation) is Literal:
        return "choice", tuple(str(choice) for choice in get_args(annotation))
    if get_origin(annotation) is tuple:
        return "floats", ()
    kinds: dict[Any, Literal["int", "float", "bool"]] = {int: "int", float: "float", bool: "bool"}
    if annotation in kinds:
        return kinds[annotation], ()
    raise TypeError(f"a parameter cannot be a {annotation or NoneType}")
