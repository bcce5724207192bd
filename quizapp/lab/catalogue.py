"""Finds the experiments and describes them as plain data, without torch or numpy."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import traceback
from functools import cache
from importlib.util import find_spec
from types import NoneType
from typing import Any, Final, Literal, Protocol, cast, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from quizapp.lab import experiments
from quizapp.lab.experiment import BaseParams, Context, Reference, Run, both
from quizapp.lab.told import BrokenExperimentError, RequestError
from quizapp.report import Catalogue, ExperimentInfo, MetricInfo, ParamInfo
from quizapp.text import Text
from quizapp.text.nearest import closest


class Experiment(Protocol):
    """The shape of a module in `quizapp/lab/experiments/`."""

    CLAIM: dict[str, str]
    METHOD: dict[str, str]
    METRICS: dict[str, MetricInfo]
    PLOTS: tuple[str, ...]
    Params: type[BaseParams]

    def run(self, params: BaseParams, ctx: Context) -> Run: ...

    def check(self, params: BaseParams, ctx: Context) -> Reference: ...


#: What every experiment's file has, beside what is optional.
_PARTS: Final = ("CLAIM", "METHOD", "METRICS", "PLOTS", "Params", "run", "check")


@cache
def names() -> tuple[str, ...]:
    """Every experiment's name, in alphabetical order; the files are not imported."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(experiments.__path__)))


def load(name: str) -> Experiment:
    """The module of that experiment. Raises RequestError with the closest name.

    Raises `BrokenExperimentError` for a file that cannot be imported or lacks what one is made of.
    """
    if name not in names():
        meant, known = closest(name, names()), ", ".join(names())
        raise RequestError(
            both(f"there is no experiment called {name!r}", f"没有名为 {name!r} 的实验"),
            remedy=both(f"There are: {known}.", f"现有实验：{known}。")
            if meant is None
            else both(f"Did you mean {meant!r}?", f"是否想写 {meant!r}？"),
        )
    try:
        module = importlib.import_module(f"{experiments.__name__}.{name}")
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error
    lacking = [part for part in _PARTS if not hasattr(module, part)]
    if lacking:
        del sys.modules[module.__name__]  # read anew once it is mended
        raise _broken(name, AttributeError(f"it has no {', '.join(lacking)}"))
    return cast(Experiment, module)


@cache
def describe(name: str) -> ExperimentInfo:
    """One experiment as plain data. Raises what `load` raises."""
    module = load(name)
    try:
        return ExperimentInfo(
            name=name,
            claim=Text.of(module.CLAIM),
            params={key: _param(key, f) for key, f in module.Params.model_fields.items()},
            metrics=module.METRICS,
            plots=module.PLOTS,
        )
    except Exception as error:
        del sys.modules[f"{experiments.__name__}.{name}"]
        raise _broken(name, error) from error


@cache
def catalogue() -> Catalogue:
    """All experiments as plain data: a broken file takes none of the others with it."""
    known, broken = {}, {}
    for name in names():
        try:
            known[name] = describe(name)
        except BrokenExperimentError as error:
            broken[name] = str(error)
    return Catalogue(known, broken)


def _broken(name: str, error: BaseException) -> BrokenExperimentError:
    """What is wrong with the file of that experiment, at the line where it arose."""
    found = find_spec(f"{experiments.__name__}.{name}")
    file = "" if found is None else found.origin or ""
    line = _line_in(file, error)
    return BrokenExperimentError(
        {"en": f"the experiment {name} cannot be loaded", "zh": f"实验 {name} 无法加载"},
        where=file if line is None else f"{file}:{line}",
        remedy=f"{type(error).__name__}: {error}",
    )


def _line_in(file: str, error: BaseException) -> int | None:
    """The line of `file` at which `error` arose; None where it arose in none of its lines."""
    if isinstance(error, SyntaxError):
        return error.lineno if error.filename == file else None
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == file
    ]
    return lines[-1] if lines else None


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
