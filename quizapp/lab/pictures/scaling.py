"""The scaling argument in words: the whiteboard's steps and the five links, with their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from quizapp.lab.wording.scaling_chain import METRICS, WAYS
from quizapp.report import Curve, Row, Series, Step, Table
from quizapp.text import Text
from quizapp.text.numbers import figure, percent

Sampled = tuple[float, float]

#: The lowest gradient that is drawn.
GRADIENT_FLOOR = 1e-9

#: The links in the order of the argument.
LINKS = (
    "score_std",
    "top_gap",
    "saturated_share",
    "jacobian_median",
    "jacobian_p10",
    "logit_gradient",
    "query_gradient",
    "query_gradient_p10",
)


def steps(d_k: int, found: Mapping[str, Sampled]) -> list[Step]:
    """The derivation, one Step for each line on the whiteboard: what enters, what was measured."""
    n = {name: figure(value) for name, (value, _) in found.items()}
    product = found["square_product"][0] - found["term_mean"][0] ** 2
    return [
        _step(
            "E[qᵢkᵢ] = E[qᵢ]·E[kᵢ]",
            f"Here q must be independent of k; with mean 0 both sides are 0. Measured: "
            f"{n['term_mean']} and {n['mean_product']}.",
            f"此处需要 q 与 k 独立；均值为 0 时两边都是 0。实测：{n['term_mean']} 与 "
            f"{n['mean_product']}。",
        ),
        _step(
            "Var(qᵢkᵢ) = E[qᵢ²]·E[kᵢ²] − E[qᵢkᵢ]²",
            f"Independence again; the mean decides what is subtracted, and mean 0 with variance 1 "
            f"gives 1. Measured: {n['term_variance']}, and {figure(product)} by the right side.",
            f"再次用到独立性；均值决定减去多少，均值 0、方差 1 时为 1。实测："
            f"{n['term_variance']}，右边为 {figure(product)}。",
        ),
        _step(
            "Var(q·k) = Σ Var(qᵢkᵢ) + Σ Cov",
            f"Independent dimensions make the covariances 0. Measured: {n['score_variance']} = "
            f"{n['sum_of_variances']} + ({n['covariance_sum']}), beside d_k = {d_k}.",
            f"各维度独立时协方差之和为 0。实测：{n['score_variance']} = "
            f"{n['sum_of_variances']} + ({n['covariance_sum']})，而 d_k = {d_k}。",
        ),
        _step(
            "Var(q·k/c) = Var(q·k)/c²",
            f"c = √{d_k} = {figure(math.sqrt(d_k))} leaves a variance of {n['scaled_variance']}; "
            f"for these inputs 1 takes c = {figure(math.sqrt(found['score_variance'][0]))}.",
            f"c = √{d_k} = {figure(math.sqrt(d_k))} 得到方差 {n['scaled_variance']}；"
            f"对这些输入，要得到 1 需取 c = {figure(math.sqrt(found['score_variance'][0]))}。",
        ),
    ]


def links_table(found: Mapping[str, Sampled]) -> Table:
    """The links of the chain, raw beside scaled."""
    return Table(
        id="links",
        title=Text.of({"en": "the chain, link by link", "zh": "逐环对照"}),
        columns=(
            Text.of({"en": "no scale", "zh": "不缩放"}),
            Text.of({"en": "with 1/√d_k", "zh": "除以 √d_k"}),
        ),
        rows=tuple(
            Row(
                label=METRICS[f"raw_{name}"].label,
                cells=tuple(found[f"{way}_{name}"][0] for way in WAYS),
            )
            for name in LINKS
        ),
    )


def summary(d_k: int, found: Mapping[str, Sampled]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    raw, scaled = ({name: found[f"{way}_{name}"][0] for name in LINKS} for way in WAYS)
    return {
        "en": f"d_k = {d_k}, untrained: without the scale the scores' std is "
        f"{figure(raw['score_std'])}, {percent(raw['saturated_share'])} of rows are saturated and "
        f"the median gradient at q is {figure(raw['query_gradient'])}; with it "
        f"{figure(scaled['score_std'])}, {percent(scaled['saturated_share'])} and "
        f"{figure(scaled['query_gradient'])}",
        "zh": f"d_k = {d_k}，未训练：不缩放时分数标准差 {figure(raw['score_std'])}，"
        f"{percent(raw['saturated_share'])} 的行饱和，q 的梯度中位数 "
        f"{figure(raw['query_gradient'])}；缩放后依次为 {figure(scaled['score_std'])}、"
        f"{percent(scaled['saturated_share'])}、{figure(scaled['query_gradient'])}",
    }


def widths_table(sweep: dict[int, dict[str, Sampled]]) -> Table:
    """The links that circulate as folklore, by width: raw beside scaled."""
    columns = ("score_std", "saturated_share", "dead_share", "query_gradient")
    shown = [(name, way) for name in columns for way in WAYS]
    return Table(
        id="widths",
        title=Text.of({"en": "the chain by width", "zh": "各宽度下的链条"}),
        columns=tuple(METRICS[f"{way}_{name}"].label for name, way in shown),
        units=tuple(METRICS[f"{way}_{name}"].unit for name, way in shown),
        rows=tuple(
            Row(
                label=Text.of(f"d_k = {d_k}"),
                cells=tuple(found[f"{way}_{name}"][0] for name, way in shown),
            )
            for d_k, found in sweep.items()
        ),
    )


def curves(sweep: dict[int, dict[str, Sampled]]) -> list[Curve]:
    rows_lost = ("raw_saturated_share", "scaled_saturated_share", "raw_dead_share")
    gradients = ("raw_query_gradient", "raw_query_gradient_p10", "scaled_query_gradient")
    return [
        _curve("rows_lost", {"en": "share of rows", "zh": "行的比例"}, rows_lost, sweep),
        _curve("gradients", {"en": "norm", "zh": "范数"}, gradients, sweep, log_y=True),
    ]


def _curve(
    plot_id: str,
    y_label: dict[str, str],
    names: tuple[str, ...],
    sweep: dict[int, dict[str, Sampled]],
    *,
    log_y: bool = False,
) -> Curve:
    titles = {
        "rows_lost": {"en": "saturated rows, and rows without gradient", "zh": "饱和行与无梯度行"},
        "gradients": {"en": "gradient that reaches a query", "zh": "到达查询的梯度"},
    }
    return Curve(
        id=plot_id,
        title=Text.of(titles[plot_id]),
        x_label=Text.of("d_k"),
        y_label=Text.of(y_label),
        x=tuple(float(d_k) for d_k in sweep),
        series=tuple(
            Series(
                name=METRICS[name].label,
                # float32 underflows to 0 far below the floor, and 0 has no place on a log axis.
                values=tuple(
                    max(found[name][0], GRADIENT_FLOOR * log_y) for found in sweep.values()
                ),
            )
            for name in names
        ),
        log_x=True,
        log_y=log_y,
    )


def _step(title: str, en: str, zh: str) -> Step:
    return Step(title=Text.of(title), note=Text.of({"en": en, "zh": zh}))
