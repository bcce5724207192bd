"""What every test stands on: a home of its own, English, and no colours switched off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from quizapp.text import i18n

# Before anything imports NumPy or torch, which read them once, as the engine's are: on a
# busy machine with few cores, threads that wait for each other are ten times slower.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


@pytest.fixture(autouse=True)
def own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No test, and no program a test starts, meets the home or the settings of who runs it.

    Returns the folder that stands for the learner's; it does not exist yet.
    """
    home = tmp_path / "learner"
    monkeypatch.setenv("QUIZAPP_HOME", str(home))
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    # UTF-8 for the programs that tests start; the language is still English.
    monkeypatch.setenv("LANG", "C.UTF-8")
    i18n.set_language("en")
    yield home
    i18n.set_language("en")
