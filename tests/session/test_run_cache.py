"""Runs kept on disk: found again by the same code, and by no other."""

from pathlib import Path

import pytest
from helpers import report, run_of_width

from quizapp.report import CrossCheck, Report
from quizapp.session import run_cache
from quizapp.session.run_cache import RunCache
from quizapp.session.trial import Planned
from quizapp.text import Text


def complete() -> Report:
    checked = CrossCheck(
        ok=True,
        max_abs_diff=0.0,
        tolerance=0.1,
        metric="score_std",
        compared=("score_std",),
        method=Text.of("another way"),
    )
    return report({"score_std": 8.0}).model_copy(update={"cross_check": checked})


def test_a_complete_run_is_found_again(tmp_path: Path) -> None:
    cache = RunCache(tmp_path)
    assert cache.get(run_of_width(64), "cpu") is None
    cache.put(run_of_width(64), "cpu", complete())
    cache.close()
    again = RunCache(tmp_path)
    assert again.get(run_of_width(64), "cpu") == complete()
    assert again.get(run_of_width(65), "cpu") is None
    assert again.get(run_of_width(64), "cuda") is None
    assert again.get(Planned("softmax", (("logits", (2.0, 1.0)),)), "cpu") is None
    again.close()


def test_other_code_finds_nothing_and_clears_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = RunCache(tmp_path)
    cache.put(run_of_width(64), "cpu", complete())
    cache.close()
    with monkeypatch.context() as patched:
        patched.setattr(run_cache, "code_hash", lambda: "f" * 64)
        other = RunCache(tmp_path)
        assert other.get(run_of_width(64), "cpu") is None
        other.close()
    back = RunCache(tmp_path)
    assert back.get(run_of_width(64), "cpu") is None
    back.close()


def test_a_run_that_failed_or_was_not_checked_is_not_kept(tmp_path: Path) -> None:
    cache = RunCache(tmp_path)
    cache.put(run_of_width(64), "cpu", report({}, status="failed"))
    cache.put(run_of_width(65), "cpu", report({"score_std": 8.0}))
    assert cache.get(run_of_width(64), "cpu") is None
    assert cache.get(run_of_width(65), "cpu") is None
    cache.close()


@pytest.mark.parametrize("damage", ["a file in the way", "garbage"])
def test_without_a_usable_disk_it_is_done_without(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "cache"
    if damage == "garbage":
        folder.mkdir()
        (folder / "runs.db").write_bytes(b"this is no database, whatever its name says" * 40)
    else:
        folder.write_text("in the way")
    cache = RunCache(folder)
    cache.put(run_of_width(64), "cpu", complete())
    assert cache.get(run_of_width(64), "cpu") is None
    cache.close()
