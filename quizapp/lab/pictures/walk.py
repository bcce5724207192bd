"""One small attention told in words: a Step for each thing that happened, with its numbers.

Tokens count from 0, as in code. Shapes as in `quizapp.lab.maths.walk`.
"""

from __future__ import annotations

import torch

from quizapp.lab.maths.walk import Walk
from quizapp.report import Matrix, Step
from quizapp.text import Text


def summary(w: Walk) -> dict[str, str]:
    """One sentence with the figures of this draw."""
    if w.weights is None:
        return {"en": f"Q @ K.T raises: {w.failure}", "zh": f"Q @ K.T 报错：{w.failure}"}
    shape = tuple(w.weights.shape)
    if w.output is None:
        return {
            "en": f"Q @ K.T gives no error but scores of shape {shape}, and weights that are all "
            f"{w.weights.max():.0f}",
            "zh": f"Q @ K.T 没有报错，但分数形状为 {shape}，权重全为 {w.weights.max():.0f}",
        }
    row = w.weights[0, 0]
    top, sums = int(row.argmax()), w.weights.sum(-1)
    return {
        "en": f"query 0 gives key {top} {row[top]:.0%} of its weight; the row sums of this draw "
        f"run from {sums.min():.2f} to {sums.max():.2f}",
        "zh": f"查询 0 把 {row[top]:.0%} 的权重给了键 {top}；本次各行之和在 {sums.min():.2f} "
        f"到 {sums.max():.2f} 之间",
    }


def steps(walked: Walk) -> list[Step]:
    """The trace: one Step for each thing that happened."""
    told = [_inputs(walked)]
    if walked.scores is None or walked.logits is None or walked.weights is None:
        return [*told, _raised("Q @ K.T", walked)]
    told.append(_scores(walked, walked.scores))
    if walked.scores.shape[-1] == 1:
        return [*told, _axis_of_one(walked.weights), _raised("weights @ V", walked)]
    told.append(_scaled(walked, walked.scores))
    if walked.mask is not None:
        told.append(_masked(walked.logits))
    told.append(_softmax(walked, walked.logits, walked.weights))
    if walked.output is not None:
        told.append(_weighted_sum(walked.weights, walked.output))
    return told


def _inputs(w: Walk) -> Step:
    S, d_k, d_v = w.q.shape[-2], w.q.shape[-1], w.v.shape[-1]
    return _step(
        "Q, K, V",
        f"{S} tokens, one row each. q[i] asks, k[j] is compared with it, v[j] is what gets "
        f"passed on. Q and K are {d_k} wide, V is {d_v} wide: only Q and K must agree.",
        f"{S} 个 token，每个占一行。q[i] 提问，k[j] 与之比较，v[j] 是被传递的内容。"
        f"Q、K 宽 {d_k}，V 宽 {d_v}：只有 Q 与 K 必须同宽。",
        _matrix("Q", ("S", "d_k"), w.q),
        _matrix("K", ("S", "d_k"), w.k),
        _matrix("V", ("S", "d_v"), w.v),
    )


def _scores(w: Walk, scores: torch.Tensor) -> Step:
    if scores.shape[-1] == 1:
        shape = tuple(scores.shape)
        return _step(
            "scores = Q @ K.T",
            f"No error, yet the shape is {shape}: K.T reversed all three dimensions and the "
            "batch of one was broadcast. These are the entries of Q @ K, not of QKᵀ.",
            f"没有报错，但形状是 {shape}：K.T 反转了全部三个维度，大小为 1 的批次被广播。"
            "这些是 Q @ K 的元素，而不是 QKᵀ 的。",
            _matrix("scores[…, 0]", ("S", "S"), scores.squeeze(-1)),
        )
    row = scores[0, 0]
    top = int(row.argmax())
    terms = _sum_of_products(w.q[0, 0], w.k[0, top])
    return _step(
        "scores = QKᵀ",
        f"Row 0 compares q[0] with every key. Its largest is q[0]·k[{top}] = {terms} = "
        f"{row[top]:.2f}.",
        f"第 0 行把 q[0] 与每个键比较，最大的是 q[0]·k[{top}] = {terms} = {row[top]:.2f}。",
        _matrix("QKᵀ", ("S_q", "S_k"), scores),
    )


def _scaled(w: Walk, scores: torch.Tensor) -> Step:
    before, after = scores.std().item(), (scores * w.scale).std().item()
    if w.scale == 1:
        return _step(
            "no scale",
            f"The scores go to the softmax as they are, with a standard deviation of {before:.2f}.",
            f"分数不缩放，直接进入 softmax，标准差为 {before:.2f}。",
            _matrix("QKᵀ", ("S_q", "S_k"), scores),
        )
    d_k = w.q.shape[-1]
    return _step(
        "× 1/√d_k",
        f"Times 1/√{d_k} = {w.scale:.3f}: the standard deviation goes from {before:.2f} to "
        f"{after:.2f}. The order within each row stays; the gaps shrink.",
        f"乘以 1/√{d_k} = {w.scale:.3f}：标准差从 {before:.2f} 变为 {after:.2f}。"
        "每行内的次序不变，差距变小。",
        _matrix("QKᵀ/√d_k", ("S_q", "S_k"), scores * w.scale),
    )


def _masked(logits: torch.Tensor) -> Step:
    hidden = int(torch.isinf(logits).sum())
    return _step(
        "causal mask",
        f"A query may not see later keys: {hidden} of {logits.numel()} logits become −inf. "
        "Row 0 keeps only key 0.",
        f"查询不能看到后面的键：{logits.numel()} 个 logit 中有 {hidden} 个变成 −inf。"
        "第 0 行只剩键 0。",
        _matrix("logits", ("S_q", "S_k"), logits),
    )


def _softmax(w: Walk, logits: torch.Tensor, weights: torch.Tensor) -> Step:
    matrix = _matrix("weights", ("S_q", "S_k"), weights)
    if w.axis == "queries":
        rows, columns = _listed(weights[0].sum(-1)), _listed(weights[0].sum(-2))
        return _step(
            "softmax, dim −2",
            f"Over the queries: the columns sum to {columns}, the rows to {rows}. A query no "
            "longer shares out one unit of attention.",
            f"沿查询方向：各列之和为 {columns}，各行之和为 {rows}。"
            "一个查询分配的注意力不再合计为 1。",
            matrix,
        )
    row, top = weights[0, 0], int(weights[0, 0].argmax())
    total = torch.exp(logits[0, 0]).sum().item()
    return _step(
        "softmax, dim −1",
        f"Over the keys: row 0 is exp(logits)/{total:.2f} = {_listed(row)}, which sums to "
        f"{row.sum():.2f}; key {top} gets {row[top]:.0%}.",
        f"沿键方向：第 0 行是 exp(logits)/{total:.2f} = {_listed(row)}，合计 {row.sum():.2f}；"
        f"键 {top} 得到 {row[top]:.0%}。",
        matrix,
    )


def _weighted_sum(weights: torch.Tensor, output: torch.Tensor) -> Step:
    mix = " + ".join(f"{weight:.2f}·v[{j}]" for j, weight in enumerate(weights[0, 0].tolist()))
    return _step(
        "output = weights · V",
        f"output[0] = {mix} = [{_listed(output[0, 0])}].",
        f"output[0] = {mix} = [{_listed(output[0, 0])}]。",
        _matrix("output", ("S_q", "d_v"), output),
    )


def _axis_of_one(weights: torch.Tensor) -> Step:
    shape = tuple(weights.shape)
    return _step(
        "softmax, dim −1",
        f"The last axis of {shape} has one entry, so all {weights.numel()} weights are "
        f"{weights.max():.0f}.",
        f"{shape} 的最后一维只有一个元素，所以 {weights.numel()} 个权重全是 {weights.max():.0f}。",
        _matrix("weights[…, 0]", ("S", "S"), weights.squeeze(-1)),
    )


def _raised(title: str, w: Walk) -> Step:
    return _step(title, f"Raises: {w.failure}", f"报错：{w.failure}")


def _step(title: str, en: str, zh: str, *matrices: Matrix) -> Step:
    return Step(title=Text.of(title), note=Text.of({"en": en, "zh": zh}), matrices=matrices)


def _matrix(name: str, axes: tuple[str, str], values: torch.Tensor) -> Matrix:
    """A (1, rows, columns) or (rows, columns) tensor as a Matrix."""
    rows = values.reshape(-1, values.shape[-1]) if values.shape[0] == 1 else values
    listed: list[list[float]] = rows.double().cpu().tolist()
    return Matrix(
        name=name, axes=axes, shape=tuple(rows.shape), values=tuple(tuple(row) for row in listed)
    )


def _sum_of_products(a: torch.Tensor, b: torch.Tensor) -> str:
    return " + ".join(f"({x:.2f})({y:.2f})" for x, y in zip(a.tolist(), b.tolist(), strict=True))


def _listed(values: torch.Tensor) -> str:
    return ", ".join(f"{value:.2f}" for value in values.tolist())
