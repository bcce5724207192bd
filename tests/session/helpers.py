"""Reports and trials made by hand, so that judging is tested without an engine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from quizapp.bank import Question
from quizapp.report import Metric, Provenance, Report
from quizapp.session.answers import Answer
from quizapp.session.library import Entry, Library, read
from quizapp.session.trial import Planned, Trial
from quizapp.text import Text

SMALL = Path(__file__).parent.parent / "data" / "small"


@cache
def library() -> Library:
    return read([SMALL])


def entry(name: str) -> Entry:
    return library().entries[f"small/{name}"]


def question(name: str) -> Question:
    return entry(name).question


def report(
    values: dict[str, float | tuple[float, ...]],
    *,
    status: str = "final",
    errors: dict[str, float] | None = None,
    experiment: str = "score_variance",
    seed: int = 0,
) -> Report:
    """A report with these metric values."""
    metrics = {
        name: Metric(
            value=value,
            unit="",
            meaning=Text.of(name),
            label=Text.of({"en": name, "zh": f"{name}（中）"}),
            stderr=(errors or {}).get(name),
        )
        for name, value in values.items()
    }
    made = Provenance(
        device="cpu", dtype="float32", torch="2", seed=seed, params={"d_k": 64}, seconds=0.038
    )
    return Report.model_validate(
        {
            "experiment": experiment,
            "status": status,
            "metrics": {name: metric.model_dump() for name, metric in metrics.items()},
            "provenance": made.model_dump(),
        }
    )


def trial(name: str, *chosen: str, text: str = "", number: float | None = None) -> Trial:
    found = entry(name)
    answer = Answer(chosen=chosen, text=text, number=number)
    return Trial(found.question, found.reference, answer, answer_id="a")


def run_of_width(d_k: int) -> Planned:
    return Planned("score_variance", (("d_k", d_k), ("pairs", 20000)))
