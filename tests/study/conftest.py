"""A fresh database for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from study_helpers import at

from quizapp.study.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "study.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path, at("2026-05-10 09:00")) as opened:
        yield opened
