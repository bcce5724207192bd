"""The lab on the screen: find an experiment, vary it, compare, step through what it did."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from driving import Drive, Driven, LocalEngine
from textual.widgets import Input

from quizapp.lab.wire import Own
from quizapp.plot.width import display_width
from quizapp.report import Failure
from quizapp.session import bench as benches
from quizapp.session.experiments import listed
from quizapp.text import Text
from quizapp.tui.widgets.numbers import NumbersTable
from quizapp.tui.widgets.plain import PlainText
from quizapp.tui.widgets.plots import HeatMapView
from quizapp.tui.widgets.result_view import ResultView

#: Parameters that keep a walk through all experiments short.
SMALL: dict[str, dict[str, object]] = {
    "alibi": {"draws": 2, "seq_len": 64, "match_distance": 8},
    "attention_sinks": {"steps": 20, "runs": 2, "seq_len": 8},
    "attention_entropy": {"draws": 2, "seq_len": 32},
    "attention_variants": {"draws": 2, "seq_len": 32},
    "complexity": {"seq_len": 128, "d_model": 32, "heads": 1, "rounds": 3},
    "cross_attention": {"draws": 4, "d_model": 64},
    "flash_attention": {"seq_len": 64, "block": 16},
    "head_split": {"draws": 2, "d_model": 64, "seq_len": 32},
    "init_variance": {"draws": 4, "d_model": 64},
    "masks": {"draws": 4},
    "scale_choice": {"draws": 2, "seq_len": 32},
    "scaling_chain": {"draws": 8, "keys": 16},
    "score_variance": {"pairs": 2000},
    "trained_scores": {"d_k": 8, "pairs": 8, "steps": 20, "runs": 2},
    "train_scaling": {
        "d_k": 8,
        "pairs": 4,
        "rates": 2,
        "runs": 2,
        "steps": 20,
        "scales": "two",
        "shared": 1,
    },
}

WORDS = {
    "en": {name: name for name in ("numbers", "tables", "plots", "trace")},
    "zh": {"numbers": "数值", "tables": "表格", "plots": "图", "trace": "步骤"},
}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change is run at once: that changes wait for each other is the bench's own test."""
    monkeypatch.setattr(benches, "SETTLE", 0)


async def ran(d: Driven) -> None:
    """Until the newest run has ended, its cross-check included."""
    await d.until(
        lambda: d.app.screen is d.app.lab and d.app.lab.bench and not d.app.lab.bench.running
    )


def body(d: Driven) -> str:
    return " ".join(d.screen().split())


# --- the list --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_list_has_every_experiment(
    drive: Drive, size: tuple[int, int], language: str
) -> None:
    async with drive("lab", size, language=language) as d:
        await d.until(lambda: d.app.lab_list.found)
        assert [name for name, _ in d.app.lab_list.found] == [name for name, _ in listed()]
        lines = d.screen().splitlines()
        for name, claim in d.app.lab_list.found[:9]:
            (line,) = (line for line in lines if line.strip().startswith(f"{name} "))
            assert claim.split()[0][:8] in line
        assert all(display_width(line) <= size[0] for line in lines)


async def test_typing_finds_and_enter_opens(drive: Drive) -> None:
    async with drive("lab") as d:
        await d.until(lambda: d.app.lab_list.found)
        await d.press("slash", *"saturates", "space", *"softmax")
        await d.until(lambda: [name for name, _ in d.app.lab_list.found] == ["softmax"])
        await d.press("enter")
        await ran(d)
        assert d.app.lab.bench.info.name == "softmax"
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.lab_list)
        await d.press("escape")  # out of the search
        await d.until(lambda: len(d.app.lab_list.found) > 9)
        await d.press("escape")  # out of the lab
        await d.until(lambda: d.app.screen is d.app.home)


async def test_nothing_found_says_so(drive: Drive) -> None:
    async with drive("lab") as d:
        await d.until(lambda: d.app.lab_list.found)
        await d.press("slash", *"[/]")
        await d.until(lambda: "No experiment has these words." in d.screen())
        await d.press("enter")
        assert d.app.screen is d.app.lab_list


async def test_the_arrows_move_while_searching_and_letters_type(drive: Drive) -> None:
    async with drive("lab") as d:
        await d.until(lambda: d.app.lab_list.found)
        await d.press("j")
        second = d.app.lab_list.found[1][0]
        assert d.app.lab_list.chosen == second
        await d.press("slash", "L", "j", "backspace", "backspace")
        await d.press("down", "down")
        assert d.app.lab_list.query_one(Input).value == ""
        assert d.app.lab_list.chosen == d.app.lab_list.found[2][0]


async def test_the_last_of_a_long_list_comes_into_sight(drive: Drive) -> None:
    async with drive("lab", (80, 18)) as d:
        await d.until(lambda: d.app.lab_list.found)
        last = d.app.lab_list.found[-1][0]
        assert last not in d.screen()
        await d.press("up")
        assert d.app.lab_list.chosen == last
        assert last in d.screen()


async def test_home_opens_the_lab_and_returns(drive: Drive) -> None:
    async with drive("home") as d:
        await d.until(lambda: d.app.home.home is not None)
        assert "l lab" in d.screen()
        await d.press("l")
        await d.until(lambda: d.app.screen is d.app.lab_list and d.app.lab_list.found)
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.home)


# --- one experiment --------------------------------------------------------------------


async def _open(d: Driven, name: str, given: dict[str, object] | None = None) -> None:
    await d.until(lambda: d.app.session and d.app.lab_word)
    d.app.flow.open_experiment(name, given)
    await ran(d)


@pytest.mark.parametrize("name", [name for name, _ in listed()])
async def test_every_experiment_fits_80_by_24(drive: Drive, name: str) -> None:
    async with drive("lab") as d:
        await _open(d, name, SMALL.get(name))
        result = d.app.lab.query_one(ResultView)
        for language in ("en", "zh"):
            for pane in result.panes:
                result.pane = pane
                d.app.lab.words()
                await d.pilot.pause()
                text = d.screen()
                assert d.app.lab.bench.failure is None
                assert all(display_width(line) <= 80 for line in text.splitlines())
                assert re.search(r"cpu float(32|64)  torch \S+  (seed|种子) 0", text)
                assert ("cross-check" if language == "en" else "交叉验证") in text
                assert f"[{WORDS[language][pane]} 1/" in text
                assert "▸" in text
            await d.press("L")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_parameter_steps_and_old_numbers_stay_dimmed(
    drive: Drive, size: tuple[int, int]
) -> None:
    async with drive("lab", size, experiment="softmax") as d:
        await ran(d)
        await d.press("down")
        assert "+ temperature 6" in d.screen() or "+ temperature" in d.screen()
        figures = d.app.lab.query_one("#figures", NumbersTable)
        d.engine.gate.clear()
        await d.press("plus")
        await d.until(lambda: figures.dimmed)
        assert "[0.6285, 0.2312, 0.1402]" in d.screen()
        assert "x cancel" in d.screen()
        d.engine.gate.set()
        await d.until(lambda: not figures.dimmed)
        assert "[0.6285, 0.2312, 0.1402]" not in d.screen()
        await d.press("r")
        await d.until(lambda: "[0.6285, 0.2312, 0.1402]" in d.screen())


async def test_a_value_is_typed_refused_in_words_and_taken(drive: Drive) -> None:
    async with drive("lab", experiment="softmax") as d:
        await ran(d)
        await d.press("j", "enter")
        field = d.app.lab.query_one("#field", Input)
        assert field.value == "1"
        await d.press("backspace", *"[/]", "enter")
        assert "temperature cannot be [/]. — a number from 0.01 to 100" in body(d)
        assert field.value == "[/]"  # nothing typed is lost
        await d.press("backspace", "backspace", "backspace", *"0.5", "enter")
        await ran(d)
        assert not d.app.lab.editing
        assert d.app.lab.bench.values["temperature"] == 0.5
        await d.press("enter", *"9", "escape")
        assert d.app.lab.bench.values["temperature"] == 0.5


async def test_enter_takes_the_next_choice(drive: Drive) -> None:
    async with drive("lab", experiment="walkthrough") as d:
        await ran(d)
        await d.press("j", "j", "j", "enter")
        await ran(d)
        assert d.app.lab.bench.values["causal"] == "yes"
        assert not d.app.lab.editing


async def test_values_that_do_not_go_together_are_a_named_result(drive: Drive) -> None:
    async with drive("lab", experiment="walkthrough") as d:
        await ran(d)
        d.app.lab.bench.values["causal"] = "yes"
        d.app.lab.bench.values["key_transpose"] = ".mT"
        await d.press("k", "k", "enter")  # key_transpose, the last before the seed
        await ran(d)
        assert "These values do not go together" in d.screen()
        assert "key_transpose=.T goes with causal=no" in body(d)
        await d.press("enter")
        await ran(d)
        assert "do not go together" not in d.screen()


@pytest.mark.parametrize("kind", ["memory", "crashed"])
async def test_a_failed_run_is_a_named_result_and_the_next_one_works(
    drive: Drive, kind: str
) -> None:
    engine = LocalEngine()
    async with drive("lab", experiment="softmax", engine=engine) as d:
        await ran(d)
        engine.failure = Failure(kind=kind, text=Text.of("it was [/x] too large"))
        await d.press("s")
        await d.until(lambda: "it was [/x] too large" in d.screen())
        assert d.app.lab.query_one("#figures", NumbersTable).dimmed
        engine.failure = None
        await d.press("s")
        await d.until(lambda: "seed 2" in d.screen())
        assert "too large" not in d.screen()


async def test_cancel_stops_and_says_so(drive: Drive) -> None:
    async with drive("lab", experiment="softmax") as d:
        await ran(d)
        d.engine.gate.clear()
        await d.press("s")
        await d.until(lambda: len(d.engine.jobs) == 2)
        await d.press("x")
        await d.until(lambda: "Cancelled. Any change runs again." in d.screen())
        assert d.engine.jobs[-1].cancelled
        d.engine.gate.set()
        await d.press("s")
        await d.until(lambda: "seed 2" in d.screen())
        assert "Cancelled" not in d.screen()


async def test_the_highlighted_number_is_explained_and_copied(drive: Drive) -> None:
    async with drive("lab", experiment="softmax") as d:
        await ran(d)
        await d.press("l", "right")
        assert "max_weight: largest probability" in d.screen()
        await d.press("y")
        assert d.app.clipboard == "largest weight (max_weight): 0.629 — softmax, seed 0, cpu"
        await d.press("h", "left", "left")  # round at the ends
        assert d.app.lab.query_one(ResultView).at("numbers") == 17


async def test_a_trace_is_stepped_with_its_matrices(drive: Drive) -> None:
    async with drive("lab", experiment="walkthrough") as d:
        await ran(d)
        await d.press("tab", "tab")
        assert "[trace 1/5]" in d.screen()
        await d.press("l")
        assert "[trace 2/5]" in d.screen()
        assert "scores = QKᵀ" in d.screen()
        assert "⎣" in d.screen()
        await d.press("left", "left")
        assert "[trace 5/5]" in d.screen()
        await d.press("tab")
        assert "[numbers 1/" in d.screen()


async def test_plots_and_long_tables_are_turned(drive: Drive) -> None:
    async with drive("lab", experiment="masks") as d:
        await ran(d)
        await d.press("tab")
        assert "[tables 1/2]" in d.screen()  # nine rows, seven at a time
        first = d.screen()
        await d.press("right")
        assert "[tables 2/2]" in d.screen()
        assert d.screen() != first
        await d.press("tab", "right")
        assert "[plots 2/2]" in d.screen()
        (plot,) = d.app.lab.query(HeatMapView)
        assert plot.size.height >= 7
        assert plot.region.bottom <= 22


async def test_a_pinned_run_stands_beside_the_next(drive: Drive) -> None:
    async with drive("lab", experiment="softmax") as d:
        await ran(d)
        await d.press("p", "j", "plus")
        await ran(d)
        text = d.screen()
        assert "pinned: cpu, seed 0" in text
        assert "×" in text
        assert all(display_width(line) <= 80 for line in text.splitlines())
        await d.press("p")
        assert "pinned" not in d.screen()


async def test_a_sweep_becomes_a_curve(drive: Drive) -> None:
    async with drive("lab", experiment="softmax") as d:
        await ran(d)
        await d.press("v")
        assert "Highlight a single number" in d.screen()
        await d.press("j", "right", "right")
        d.engine.gate.clear()
        await d.press("v")
        await d.until(lambda: "sweep 0/7" in d.screen())
        d.engine.gate.set()
        await ran(d)
        await d.until(lambda: "[sweep 1/2]" in d.screen())
        assert "max_weight over temperature: cpu, seed 0, no cross-check" in d.screen()
        assert "cross-check agrees" in d.screen()  # the run in the foot is still the form's
        await d.press("right")
        assert re.search(r"0\.015625 +1\.00", d.screen())
        await d.press("L")
        assert all(display_width(line) <= 80 for line in d.screen().splitlines())


async def test_a_change_ends_a_sweep(drive: Drive) -> None:
    async with drive("lab", experiment="softmax") as d:
        await ran(d)
        await d.press("j", "right", "right")
        d.engine.gate.clear()
        await d.press("v")
        await d.until(lambda: len(d.engine.jobs) == 8)
        await d.press("s")
        await d.until(lambda: all(job.cancelled for job in d.engine.jobs[1:8]))
        d.engine.gate.set()
        await ran(d)
        await d.until(lambda: "seed 1" in d.screen())


async def test_the_numbers_on_show_are_saved(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    async with drive("lab", experiment="softmax") as d:
        await ran(d)
        await d.press("w")
        assert "Save as .html, .json or .csv:" in d.screen()
        assert d.app.lab.query_one("#field", Input).value == "softmax-seed0.html"
        await d.press("enter")
        assert "Saved" in d.screen()
        assert "<h1>softmax</h1>" in (folder / "softmax-seed0.html").read_text(encoding="utf-8")
        await d.press("w")
        field = d.app.lab.query_one("#field", Input)
        assert field.value == "softmax-seed0-2.html"
        field.value = "softmax-seed0.html"
        await d.press("enter")
        asking = d.app.lab.query_one("#asking", PlainText)  # the notice may lie over it
        assert asking.text == "softmax-seed0.html is there already — Choose another name."
        field.value = "numbers.txt"
        await d.press("enter")
        assert asking.text.endswith("End the name in .html, .json or .csv.")
        field.value = "no/such/folder.csv"
        await d.press("enter")
        assert "no/such/folder.csv cannot be written" in asking.text
        await d.press("escape")
        assert [each.name for each in folder.iterdir()] == ["softmax-seed0.html"]


async def test_the_device_steps_and_the_run_says_which(drive: Drive) -> None:
    engine = LocalEngine()
    engine.devices = ("cuda", "cpu")
    async with drive("lab", experiment="softmax", engine=engine) as d:
        await ran(d)
        await d.until(lambda: d.app.lab_word)
        await d.press("d")
        await d.until(lambda: d.app.session.settings.device == "cpu" and len(engine.jobs) == 2)


async def test_a_verdict_opens_its_run_in_the_lab(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("2", "enter")
        await d.verdict()
        await d.press("plus")
        await d.until(lambda: "+ d_k 256" in d.screen())
        await d.verdict()
        await d.press("o")
        await ran(d)
        assert d.app.lab.bench.info.name == "score_variance"
        assert (d.app.lab.bench.values["d_k"], d.app.lab.bench.values["pairs"]) == (128, 20000)
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.verdict)
        assert "RIGHT" in d.screen()


async def test_leaving_stops_the_run_and_ctrl_q_leaves(drive: Drive) -> None:
    async with drive("lab", experiment="softmax") as d:
        await ran(d)
        d.engine.gate.clear()
        await d.press("s")
        await d.until(lambda: len(d.engine.jobs) == 2)
        await d.press("escape")
        await d.until(lambda: d.engine.jobs[-1].cancelled)
        assert d.app.screen is d.app.home
        await d.press("ctrl+q")
    assert d.app.return_code == 0


async def test_an_answer_that_waits_under_the_lab_is_saved(drive: Drive, tmp_path: Path) -> None:
    async with drive("daily") as d:
        await d.question()
        d.engine.gate.clear()
        await d.press("2", "enter")
        await d.until(lambda: d.app.screen is d.app.verdict)
        await d.press("o")
        await d.until(lambda: d.app.screen is d.app.lab)
        await d.press("ctrl+q")
    assert d.app.verdict.trial.saved


# --- whose attention -------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_whose_attention_runs_is_always_told_and_changed_by_a_key(
    drive: Drive, size: tuple[int, int]
) -> None:
    mine = Own(name="mine.py", source=b"", entry="f", class_name="C", class_init=())
    async with drive("lab", size) as d:
        await d.until(lambda: d.app.lab_list.found)
        d.app.flow._own = mine
        d.app.flow.open_experiment("attention_entropy")
        await ran(d)
        engine = d.app.session.engine
        assert engine.own == mine
        assert "attention by mine.py" in d.screen().splitlines()[0]
        assert "o our attention" in body(d)
        await d.press("o")
        await ran(d)
        assert engine.own is None
        assert "our attention" in d.screen().splitlines()[0]
        assert "mine.py" not in d.screen().splitlines()[0]
        assert "o your attention" in body(d)
        await d.press("o")
        await ran(d)
        assert engine.own == mine


async def test_without_a_function_of_ones_own_no_key_speaks_of_it(drive: Drive) -> None:
    async with drive("lab") as d:
        await d.until(lambda: d.app.lab_list.found)
        d.app.flow.open_experiment("attention_entropy")
        await ran(d)
        assert "attention" not in d.screen().splitlines()[0].replace("attention_entropy", "")
        assert "our attention" not in body(d)
        before = d.app.lab.bench.report
        await d.press("o")
        assert d.app.lab.bench.report is before
