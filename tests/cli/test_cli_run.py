"""`quizapp run` with the real engine: the fixed names other tools read."""

import json
import math
from pathlib import Path

import pytest

from quizapp.cli import run
from quizapp.report import Report
from quizapp.session import experiments
from quizapp.session.paths import data_folder

Captured = pytest.CaptureFixture[str]


def reported(capsys: Captured, *arguments: str) -> dict[str, dict[str, object]]:
    assert run(["run", *arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "quizapp-report/1"
    assert found["status"] == "final"
    assert found["cross_check"]["ok"] is True
    assert found["cross_check"]["max_abs_diff"] <= found["cross_check"]["tolerance"]
    provenance = {"device", "dtype", "torch", "seed", "params", "seconds", "tf32", "function"}
    assert set(found["provenance"]) == provenance
    for metric in found["metrics"].values():
        assert {"value", "unit", "meaning", "stderr"} <= set(metric)
    metrics: dict[str, dict[str, object]] = found["metrics"]
    return metrics


def test_softmax(capsys: Captured) -> None:
    metrics = reported(capsys, "softmax", "--set", "logits=2,1,0.5")
    assert metrics["probabilities"]["value"] == pytest.approx([0.6285, 0.2312, 0.1402], abs=5e-5)
    assert {"jacobian_norm", "entropy"} <= set(metrics)


def test_score_variance_with_a_seed(capsys: Captured) -> None:
    metrics = reported(capsys, "score_variance", "--set", "d_k=64", "--set", "seed=3")
    assert metrics["score_std"]["value"] == pytest.approx(8, rel=0.02)
    assert {"score_mean", "score_variance"} <= set(metrics)


def test_attention_entropy(capsys: Captured) -> None:
    metrics = reported(capsys, "attention_entropy", "--set", "d_k=64", "--set", "seq_len=100")
    assert metrics["scaled_entropy"]["value"] == pytest.approx(4.12, abs=0.02)
    assert metrics["unscaled_entropy"]["value"] == pytest.approx(0.65, abs=0.05)
    assert {"scaled_max_weight", "unscaled_max_weight"} <= set(metrics)


def test_flash_attention(capsys: Captured) -> None:
    metrics = reported(
        capsys,
        *("flash_attention", "--set", "seq_len=256", "--set", "d_k=64", "--set", "block=32"),
    )
    error, standard, tiled = (
        metrics[name]["value"]
        for name in ("max_abs_error", "peak_bytes_standard", "peak_bytes_tiled")
    )
    assert isinstance(error, float)
    assert error < 1e-5
    assert isinstance(standard, float)
    assert isinstance(tiled, float)
    assert math.isfinite(standard)
    assert tiled < standard


def test_an_absent_device_is_refused(capsys: Captured) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA: nothing to refuse")
    assert run(["run", "softmax", "--device", "cuda"]) == 2
    assert "This machine has: " in capsys.readouterr().err


def test_plain_output_tells_numbers_and_where_they_come_from(capsys: Captured) -> None:
    assert run(["--lang", "en", "run", "softmax"]) == 0
    out = capsys.readouterr().out
    assert "0.6285" in out
    assert "cross-check agrees" in out
    assert "seed 0" in out


def test_csv_and_a_page_go_to_files_or_to_standard_output(capsys: Captured, tmp_path: Path) -> None:
    page, table = tmp_path / "run.html", tmp_path / "run.csv"
    assert run(["run", "softmax", "--html", str(page), "--csv", str(table)]) == 0
    captured = capsys.readouterr()
    assert "0.6285" in captured.out
    assert str(page) in captured.err
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert run(["run", "softmax", "--csv", "-"]) == 0
    printed = capsys.readouterr().out
    assert printed == table.read_text(encoding="utf-8")
    assert "softmax,max_weight,,0.628" in printed


def test_attention_of_ones_own_is_run(tmp_path: Path, capsys: Captured) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "import torch\ndef scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    weights = torch.softmax(Q @ K.mT, dim=-1)\n    return weights @ V, weights\n"
    )
    assert run(["run", "attention_entropy", "--attention", str(mine), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["provenance"]["function"] == "mine.py"
    assert found["cross_check"]["ok"] is False  # it does not divide by √d_k
    assert run(["run", "softmax", "--attention", str(tmp_path / "none.py")]) == 2
    assert "the file cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "device", "tf32"),
    [
        ((), "mps", True),
        (("--device", "cpu"), "cpu", True),
        (("--no-tf32",), "mps", False),
        (("--device", "auto", "--tf32"), "auto", True),
    ],
)
def test_settings_are_the_defaults_and_flags_override_them(
    flags: tuple[str, ...],
    device: str,
    tf32: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    """Where and how it would run; the run itself is that of every other test."""
    asked: dict[str, object] = {}

    async def run_once(
        name: str, settings: object, device: str, progress: object, **how: object
    ) -> Report:
        asked.update(how, device=device)
        return Report(experiment=name, status="final")

    monkeypatch.setattr(experiments, "run_once", run_once)
    for name, value in (("device", "mps"), ("tf32", "on"), ("language", "zh")):
        assert run(["config", name, value]) == 0
    run(["run", "softmax", *flags])
    assert (asked["device"], asked["tf32"]) == (device, tf32)
    capsys.readouterr()
    assert run(["run"]) == 0
    assert "√d_k 就是一个温度" in capsys.readouterr().out


def test_a_run_without_any_settings_begins_no_study_log(capsys: Captured) -> None:
    assert run(["run"]) == 0
    assert not (data_folder() / "study.db").exists()


def test_a_study_log_that_cannot_be_read_stops_no_run(capsys: Captured) -> None:
    file = data_folder() / "study.db"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"no database at all, but long enough to look like a file" * 20)
    assert run(["run"]) == 0
    captured = capsys.readouterr()
    assert "softmax" in captured.out
    assert str(file) in captured.err
