"""Loading 10,000 questions in 50 files, against `yaml.CSafeLoader` alone on the same files.

    python -m benchmarks.load_banks [--questions 10000] [--files 50] [--rounds 5]

The loader composes, validates into models and keeps what it needs to point at any
line; CSafeLoader only makes plain data. Both are measured in one process, in turn,
so that a busy machine slows both. The target is a ratio of at most 1. The loader pauses
the garbage collector, which CSafeLoader leaves to its caller; the last line pauses it
for both, which shows what composing and validating alone cost.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import yaml

from benchmarks.figures import Figure, table
from quizapp.bank import load_bank

BOUND: Final = 1.0

HEADER = """\
format: quizapp/1
id: benchmark
title: {en: Benchmark, zh: 基准}
languages: [en, zh]
licence: CC-BY-4.0
authors: [{name: Benchmark}]
"""

#: Of the size and shape of a shipped question; @ stands for its number.
QUESTION = """\
  - id: question-@
    kind: single
    title: {en: "Drop the scale, case @", zh: "去掉缩放，第 @ 例"}
    prompt:
      en: |
        Drop the scale: one head, d_k = 64, 100 keys, q and k i.i.d. N(0,1), untrained.
        Beside the scaled row, what has softmax done to a typical row?
      zh: |
        去掉缩放：一个头，d_k = 64，100 个键，q、k 独立同分布 N(0,1)，未训练。
        与缩放后的行相比，softmax 对典型的一行做了什么？
    tags: [attention/scaling, attention/softmax]
    difficulty: 3
    minutes: 4
    hints:
      - en: Look at a typical row and at the tail apart from each other.
        zh: 分开看典型的行和尾部的行。
    choices:
      - id: vanished
        text:
          en: Its gradient has vanished; the Jacobian norm is near zero
          zh: 梯度消失了，雅可比范数接近零
        feedback:
          en: The median row keeps a norm of {unscaled_jacobian_median:.2f}.
          zh: 中位数的行范数仍有 {unscaled_jacobian_median:.2f}。
        expects:
          - {metric: unscaled_jacobian_median, below: 0.01}
      - id: order
        text:
          en: Very little; the order of the keys is the same as before
          zh: 变化很小，各键的次序与之前相同
        feedback:
          en: The order is the same, the weights are not ({unscaled_entropy:.2f} nats).
          zh: 次序相同，权重却不同（{unscaled_entropy:.2f} nats）。
        expects:
          - {metric: unscaled_entropy, about: scaled_entropy, rtol: 0.05}
      - id: peaky
        correct: true
        text:
          en: It gives one key most of the weight; gradient remains
          zh: 一个键拿走大部分权重，梯度仍在
        feedback:
          en: One key holds {unscaled_max_weight:.0%} on average.
          zh: 一个键平均占 {unscaled_max_weight:.0%}。
        expects:
          - {metric: unscaled_max_weight, above: 0.5}
      - id: overflow
        text:
          en: It has overflowed; some of the weights are now NaN
          zh: 它溢出了，有些权重变成 NaN
        feedback:
          en: Softmax subtracts the maximum first, so nothing overflows.
          zh: softmax 先减去最大值，不会溢出。
        counterfactual: {run: softmax, with: {logits: [2, 1, 0.5]}}
        expects:
          - {metric: entropy, below: 0}
    explanation:
      en: >
        A typical row keeps its gradient; the tail loses it. Raise d_k and watch the
        tail grow: at 64 the share of rows below 0.01 is {unscaled_dead_share:.0%}.
      zh: >
        典型的行保留梯度，尾部的行失去梯度。增大 d_k，看尾部变长：
        64 时低于 0.01 的行占 {unscaled_dead_share:.0%}。
    summary: {en: Peaky rows with a dead tail., zh: 行变尖，尾部失去梯度。}
    say:
      en: Variance d_k makes rows peaky, and the share of dead rows grows with d_k.
      zh: 方差 d_k 使行变尖，失去梯度的行随 d_k 增多。
    sources:
      - {title: Attention Is All You Need, where: section 3.2.1}
    experiment: {run: attention_entropy, with: {d_k: 64, seq_len: 100}}
    show:
      columns: [{en: no scale, zh: 不缩放}, {en: with 1/√d_k, zh: 除以 √d_k}]
      rows:
        - {metric: unscaled_jacobian_median, beside: scaled_jacobian_median}
        - {metric: unscaled_max_weight, beside: scaled_max_weight}
        - {metric: unscaled_entropy, beside: scaled_entropy}
      plot: row_jacobian
    followups: {right: question-0, wrong: question-1}
"""


def write_bank(folder: Path, questions: int, files: int) -> list[Path]:
    """Write a bank of that size; returns its question files."""
    (folder / "bank.yaml").write_text(HEADER, encoding="utf-8")
    paths = []
    for number in range(files):
        ids = range(number, questions, files)
        body = "".join(QUESTION.replace("@", str(i)) for i in ids)
        path = folder / f"part-{number:03}.yaml"
        path.write_text(f"format: quizapp/1\nquestions:\n{body}", encoding="utf-8")
        paths.append(path)
    return paths


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes, with the garbage of the one before out of the way."""
    gc.collect()
    start = time.perf_counter()
    kept = work()
    spent = time.perf_counter() - start
    del kept
    return spent


def measure(rounds: int, questions: int = 10_000, files: int = 50) -> list[Figure]:
    """Both figures: the collector left alone, and paused for both sides."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_bank(folder, questions, files)
        loaded = load_bank(folder)
        if not loaded.ok or loaded.bank is None or len(loaded.bank.questions) != questions:
            raise ValueError("\n".join(d.render() for d in loaded.diagnostics[:3]))
        del loaded

        def plain() -> list[object]:
            return [yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader) for path in paths]

        def ours() -> object:
            return load_bank(folder)

        running = [(seconds(ours), seconds(plain)) for _ in range(rounds)]
        gc.disable()
        try:
            paused = [(seconds(ours), seconds(plain)) for _ in range(rounds)]
        finally:
            gc.enable()
    what = f"loading {questions:,} questions in {files} files"
    return [
        Figure.of_pairs(what, "CSafeLoader", running, most_ratio=BOUND),
        Figure.of_pairs(f"{what}, no collector", "CSafeLoader", paused, most_ratio=BOUND),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(table(measure(options.rounds, options.questions, options.files)))


if __name__ == "__main__":
    main()
