"""Every dependency has its reason beside it and a tested pin in constraints.txt."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def _declared() -> list[str]:
    """Requirements as written: the program's, the extras', and the build's."""
    settings: dict[str, Any] = tomllib.loads(PROJECT)
    project = settings["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    return [*project["dependencies"], *extras, *settings["build-system"]["requires"]]


def _pins() -> dict[str, Requirement]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(pin.name): pin for pin in pins}


def test_every_dependency_has_a_reason() -> None:
    written = [line for line in PROJECT.splitlines() if re.match(r'  "[A-Za-z-]+[><=]', line)]
    assert len(written) == len(_declared()) - 1  # the build's stands on the line of its table
    without = [line for line in written if not re.search(r'",\s+# \S.{9,}', line)]
    assert without == []


@pytest.mark.parametrize("text", sorted(set(_declared())))
def test_every_dependency_is_pinned_inside_its_range(text: str) -> None:
    wanted = Requirement(text)
    pin = _pins().get(canonicalize_name(wanted.name))
    assert pin is not None, f"constraints.txt has no pin for {wanted.name}"
    (exact,) = pin.specifier
    assert exact.operator == "=="
    assert wanted.specifier.contains(exact.version)


def test_torch_is_pinned_where_its_small_build_is() -> None:
    assert str(_pins()["torch"].specifier) == "==2.13.0"
