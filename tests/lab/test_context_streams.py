"""Seeded inputs: every seed and every name has numbers of its own."""

from __future__ import annotations

import itertools

import numpy as np
import torch

from quizapp.lab.context import RunContext
from quizapp.lab.experiment import BaseParams


def context(seed: int) -> RunContext:
    return RunContext("streams", {}, BaseParams(seed=seed), "cpu")


def test_every_seed_and_name_has_numbers_of_its_own() -> None:
    drawn = [
        context(seed).normal(name, 1000)
        for seed in (0, 1, 2, ord("q") ^ ord("k"), 2**31 - 1)
        for name in ("q", "k", "q#0", "q#1")
    ]
    for a, b in itertools.combinations(drawn, 2):
        assert abs(torch.corrcoef(torch.stack([a, b]))[0, 1]) < 0.15


def test_the_same_seed_and_name_give_the_same_numbers_twice() -> None:
    assert torch.equal(context(3).normal("q", 5), context(3).normal("q", 5))
    np.testing.assert_array_equal(
        context(3).normal64("q", 5), context(3).normal("q", 5).double().numpy()
    )
