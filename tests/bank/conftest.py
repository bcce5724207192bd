"""A catalogue of two experiments, so that no test of the bank needs the lab."""

from __future__ import annotations

import pytest

from quizapp.report import Catalogue, ExperimentInfo, MetricInfo, ParamInfo
from quizapp.text import Text


def _metric(low: float = float("-inf")) -> MetricInfo:
    return MetricInfo("", Text.of("label"), Text.of("meaning"), low)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """`score_variance` and `softmax`, cut down to what the rules look at."""
    words = Text.of("help")
    scores = ExperimentInfo(
        "score_variance",
        Text.of("claim"),
        params={
            "seed": ParamInfo("seed", "int", 0, words, 0, 2**31 - 1),
            "d_k": ParamInfo("d_k", "int", 64, words, 1, 4096),
            "mean": ParamInfo("mean", "float", 0.0, words, -10, None),
            "masked": ParamInfo("masked", "bool", False, words),
            "scale": ParamInfo("scale", "choice", "none", words, choices=("none", "sqrt", "1")),
            "logits": ParamInfo("logits", "floats", (2.0, 1.0), words, -100, 100),
        },
        metrics={
            "score_mean": _metric(),
            "score_variance": _metric(0.0),
            "score_std": _metric(0.0),
        },
        plots=("scores",),
    )
    softmax = ExperimentInfo(
        "softmax",
        Text.of("claim"),
        params={"logits": ParamInfo("logits", "floats", (2.0, 1.0), words)},
        metrics={name: _metric() for name in ("probabilities", "entropy")},
    )
    return Catalogue({"score_variance": scores, "softmax": softmax})
