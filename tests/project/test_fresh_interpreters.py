"""What each part loads, read from `sys.modules` of a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from compiling import minutes_pass

import quizapp
from quizapp.bank.compile import compile_banks
from quizapp.session import paths

EXPERIMENTS = sorted(
    path.stem
    for path in (Path(quizapp.__file__).parent / "lab" / "experiments").glob("*.py")
    if path.stem != "__init__"
)


def _loaded(code: str, folder: Path) -> set[str]:
    """The top-level modules that `code` leaves loaded, run in `folder` by a new Python."""
    tell = "import json, sys; print(); print(json.dumps(sorted(sys.modules)))"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{tell}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return {name.partition(".")[0] for name in json.loads(ran.stdout.splitlines()[-1])}


def test_the_probe_sees_what_is_loaded(tmp_path: Path) -> None:
    assert "numpy" in _loaded("import numpy.linalg", tmp_path)


def test_help_loads_next_to_nothing(tmp_path: Path) -> None:
    loaded = _loaded("from quizapp.cli import run; assert run(['--help']) == 0", tmp_path)
    assert "click" in loaded
    assert loaded & {"textual", "rich", "torch", "numpy", "pydantic", "yaml", "sqlite3"} == set()


def test_the_screen_paints_before_anything_heavy_is_loaded(tmp_path: Path) -> None:
    loaded = _loaded("import quizapp.tui.app", tmp_path)
    assert "textual" in loaded
    assert loaded & {"torch", "numpy", "pydantic", "yaml", "fsrs", "sqlite3"} == set()


def test_the_home_screen_paints_before_the_lab_is_loaded(tmp_path: Path) -> None:
    code = "import quizapp.tui.app, quizapp.tui.screens.home"
    tell = "print([name for name in sys.modules if name.startswith('quizapp.tui.screens.lab')])"
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{tell}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout.strip() == "[]"


def test_an_open_session_has_neither_torch_nor_numpy(tmp_path: Path) -> None:
    loaded = _loaded(
        "from quizapp.session.session import open_session; assert open_session().library.entries",
        tmp_path,
    )
    assert {"yaml", "sqlite3"} <= loaded
    assert loaded & {"torch", "numpy", "textual"} == set()


def test_a_session_whose_banks_are_kept_has_no_parser_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes_pass(monkeypatch)
    compile_banks(paths.shipped_banks(), paths.banks_cache())
    loaded = _loaded(
        "from quizapp.session.session import open_session; "
        "library = open_session().library; assert library.opening()[0].question",
        tmp_path,
    )
    assert "pydantic" in loaded
    assert loaded & {"yaml", "torch", "numpy", "textual"} == set()


def test_what_a_bank_is_checked_with_is_imported_when_it_is_asked_for() -> None:
    import quizapp.bank

    assert all(getattr(quizapp.bank, name) is not None for name in quizapp.bank.__all__)
    assert not hasattr(quizapp.bank, "no_such_name")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_is_read_without_torch(name: str, tmp_path: Path) -> None:
    loaded = _loaded(f"import quizapp.lab.experiments.{name}", tmp_path)
    assert loaded & {"torch", "numpy"} == set()


def test_the_catalogue_of_experiments_is_read_without_torch(tmp_path: Path) -> None:
    code = "from quizapp.session.experiments import listed; assert list(listed())"
    assert _loaded(code, tmp_path) & {"torch", "numpy"} == set()
