"""What each number is called, for experiments whose wording would bury their arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quizapp.lab.experiment import both, metric
from quizapp.report import MetricInfo


def listed(
    single: Mapping[str, MetricInfo],
    labels: Mapping[str, dict[str, str]],
    by: str,
    order: Iterable[str],
) -> dict[str, MetricInfo]:
    """Lists ``NAME_by_BY`` for each of `labels`: metric NAME of `single`, for each of `order`."""
    names = ", ".join(order)
    return {
        f"{name}_by_{by}": metric(
            single[name].unit,
            label,
            both(
                f"{single[name].meaning.to('en')}: for {names}",
                f"{single[name].meaning.to('zh')}：依次为 {names}",
            ),
            low=single[name].low,
            high=single[name].high,
            sampled=True,
        )
        for name, label in labels.items()
    }
