"""sdist → wheel → clean environment → the program, from the wheel's files alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import quizapp

ROOT = Path(__file__).parents[2]


def _run(*command: str | Path, cwd: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    # Neither the checkout nor the environment of the tests may help.
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, "PYTHONUTF8": "1", **extra},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a build reads: others may write in the checkout while this one lasts."""
    copy = tmp_path_factory.mktemp("checkout")
    skip = shutil.ignore_patterns("__pycache__", ".*_cache")
    for name in ("quizapp", "questions", "tests", "benchmarks", "docs", ".ci"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=skip)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, copy)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that the sdist builds: `build` makes one from the other."""
    out = tmp_path_factory.mktemp("dist")
    built = _run(
        sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ".", cwd=checkout
    )
    assert built.returncode == 0, built.stdout + built.stderr
    assert len(list(out.glob("quizapp-*.tar.gz"))) == 1
    (made,) = out.glob("quizapp-*.whl")
    return made


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of programs of a new environment with the wheel; dependencies are lent, not copied."""
    folder = tmp_path_factory.mktemp("clean") / "venv"
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    installed = _run(
        python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel, cwd=folder
    )
    assert installed.returncode == 0, installed.stderr
    # A .pth line is a plain folder: the editable quizapp there stays invisible, because
    # the .pth files of that folder are not read in their turn.
    scheme = {"base": str(folder), "platbase": str(folder)}
    own = Path(sysconfig.get_path("purelib", vars=scheme))
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (own / "dependencies.pth").write_text("\n".join(sorted(lent)) + "\n", encoding="utf-8")
    return programs


def _shipped(checkout: Path) -> Iterator[str]:
    """Names inside the wheel of every file that the program reads."""
    for folder, inside in (("quizapp", "quizapp"), ("questions", "quizapp/_questions")):
        for path in (checkout / folder).rglob("*"):
            if path.is_file():
                yield f"{inside}/{path.relative_to(checkout / folder).as_posix()}"


def test_the_wheel_carries_every_file(wheel: Path, checkout: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    wanted = set(_shipped(checkout))
    assert wanted - names == set()
    assert {Path(name).suffix for name in wanted} >= {".py", ".sql", ".tcss", ".mo", ".yaml"}
    assert "quizapp/py.typed" in names
    assert [name for name in names if not name.startswith(("quizapp/", "quizapp-"))] == []


def test_the_wheel_carries_both_licences(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    assert any(name.endswith("dist-info/licenses/questions/LICENSE") for name in names)


def test_the_program_runs_from_the_wheel_alone(clean: Path, tmp_path: Path) -> None:
    told = _run(clean / "quizapp", "--version", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert quizapp.__version__ in told.stdout
    probe = (
        "import json, quizapp; from quizapp.session.paths import shipped_banks;"
        "print(json.dumps([quizapp.__file__, str(shipped_banks())]))"
    )
    where = _run(clean / "python", "-c", probe, cwd=tmp_path)
    assert where.returncode == 0, where.stderr
    for path in json.loads(where.stdout):
        assert Path(path).is_relative_to(clean.parent)


def test_the_banks_of_the_wheel_are_sound(clean: Path, tmp_path: Path) -> None:
    checked = _run(clean / "quizapp", "check", "--json", cwd=tmp_path)
    found = json.loads(checked.stdout)
    assert (checked.returncode, found["diagnostics"]) == (0, [])
    assert {bank["id"] for bank in found["banks"]} >= {"attention"}
    assert all(bank["questions"] > 0 for bank in found["banks"])


def test_the_wheel_speaks_chinese_and_keeps_a_log(clean: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    undone = _run(clean / "quizapp", "--lang", "zh", "undo", cwd=tmp_path, QUIZAPP_HOME=str(home))
    assert undone.returncode == 0, undone.stderr
    assert undone.stdout.strip() == "没有可撤销的回答。"
    assert (home / "study.db").is_file()


def test_the_wheel_has_the_screen(clean: Path, tmp_path: Path) -> None:
    probe = (
        "import asyncio\n"
        "from quizapp.tui.app import QuizApp\n"
        "async def main():\n"
        "    app = QuizApp()\n"
        "    async with app.run_test():\n"
        "        print(app.css_path[0])\n"
        "asyncio.run(main())\n"
    )
    painted = _run(clean / "python", "-c", probe, cwd=tmp_path, QUIZAPP_HOME=str(tmp_path / "home"))
    assert painted.returncode == 0, painted.stderr
    assert Path(painted.stdout.strip()).is_relative_to(clean.parent)
