"""Fingerprints: an edit of the words keeps the meaning, an edit of the meaning does not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from quizapp.bank import Identity, identify, read_questions

SINGLE = """\
format: quizapp/1
questions:
  - id: why-divide
    kind: single
    title: Why?
    prompt: {en: What does 1/√d_k do?, zh: 它起什么作用？}
    tags: [attention/scaling]
    difficulty: 2
    hints: [Look at the variance.]
    choices:
      - id: unit
        correct: true
        text: It makes the std 1.
        feedback: Measured.
        expects:
          - {metric: score_std, about: 8, rtol: 0.05, shown: eight}
          - {metric: score_mean, below: 1}
      - id: none
        text: It changes nothing.
        feedback: It does.
        counterfactual: {run: softmax, with: {logits: [2, 1]}}
        expects: [{metric: entropy, below: 2}]
    explanation: Since variances add up.
    summary: Unit variance.
    say: Thirty seconds.
    experiment: {run: score_variance, with: {d_k: 64, masked: true}}
    show: {rows: [{metric: score_std, label: spread}]}
"""
OPEN = """\
format: quizapp/1
questions:
  - id: tell-it
    kind: open
    title: Tell
    prompt: Derive it.
    tags: [attention/scaling]
    difficulty: 2
    model_answer: The variances add up.
    rubric:
      - {id: independence, text: Says where independence enters.}
      - {id: mean, text: Says where zero mean enters.}
    explanation: Words.
    summary: Words.
    say: Words.
    experiment: {run: score_variance}
"""
NUMERIC = OPEN.replace("kind: open", "kind: numeric")
NUMERIC = NUMERIC[: NUMERIC.index("    model_answer")] + (
    "    answer: {metric: score_std, rtol: 0.05, unit: nats}\n"
    + NUMERIC[NUMERIC.index("    explanation") :]
)
BODY = OPEN[OPEN.index("    explanation") :]
CLAIM = (
    OPEN[: OPEN.index("    model_answer")].replace("kind: open", "kind: claim")
    + """\
    claim: The std is 64.
    expects:
      - {metric: score_std, about: 64, rtol: 0.05, shown: d_k}
      - {metric: score_mean, below: 1}
    feedback: It is the root.
"""
    + BODY
)
PREDICT = NUMERIC.replace("kind: numeric", "kind: predict").replace(
    "rtol: 0.05,", "full: 0.05, none: 0.5,"
)
SENTENCE = OPEN + "    claims: [{text: It is 8., metric: score_std, about: 8, rtol: 0.1}]\n"


def identity(text: str, folder: Path) -> Identity:
    path = folder / "q.yaml"
    path.write_text(text, encoding="utf-8")
    result = read_questions(path)
    assert not result.diagnostics
    return identify("demo", result.questions[0])


def test_form(tmp_path: Path) -> None:
    found = identity(SINGLE, tmp_path)
    assert found.id == "demo/why-divide"
    assert found.meaning != found.wording
    for digits in (found.meaning, found.wording):
        assert len(digits) == 16
        assert int(digits, 16) >= 0


def test_kept_over_releases(tmp_path: Path) -> None:
    """Learners' histories hold these digits: a change of the algorithm asks everything again."""
    assert identity(SINGLE, tmp_path) == Identity(
        "demo/why-divide", "31eacbc1d1d091a8", "a87382e7a2013583"
    )


def reordered(text: str) -> str:
    data = yaml.load(text, Loader=yaml.CBaseLoader)
    question = data["questions"][0]
    question["choices"].reverse()
    for choice in question["choices"]:
        choice["expects"].reverse()
    turned = {key: question[key] for key in reversed(question)}
    # Flow style would quote the parameters, which then stay text.
    dumped = yaml.safe_dump({"questions": [turned], "format": "quizapp/1"}, allow_unicode=True)
    return dumped.replace("'", "")


def test_key_order_formatting_and_order_of_choices_do_not_matter(tmp_path: Path) -> None:
    assert reordered(SINGLE) != SINGLE
    assert identity(reordered(SINGLE), tmp_path) == identity(SINGLE, tmp_path)
    numbers = SINGLE.replace("d_k: 64", "d_k: 64.0").replace("about: 8,", "about: 8.00,")
    folded = numbers.replace("say: Thirty seconds.", "say: >\n      Thirty\n      seconds.")
    assert identity(folded, tmp_path) == identity(SINGLE, tmp_path)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (SINGLE, "Since variances", "Because variances"),
        (SINGLE, "它起什么作用", "它有何作用"),
        (SINGLE, "It changes nothing", "It changes nothing at all"),
        (SINGLE, "Look at", "Mind"),
        (SINGLE, "shown: eight", "shown: 8"),
        (SINGLE, "label: spread", "label: std"),
        (OPEN, "Says where zero", "Tells where zero"),
        (OPEN, "The variances add up", "Variances add up"),
        (CLAIM, "The std is 64.", "Its std is 64."),
        (CLAIM, "It is the root", "The root"),
        (CLAIM, "shown: d_k", "shown: 64"),
        (SENTENCE, "It is 8.", "It is eight."),
    ],
)
def test_words_change_the_wording_alone(text: str, before: str, after: str, tmp_path: Path) -> None:
    old, new = identity(text, tmp_path), identity(text.replace(before, after), tmp_path)
    assert new.meaning == old.meaning
    assert new.wording != old.wording


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (SINGLE, "kind: single", "kind: multi"),
        (SINGLE, "d_k: 64", "d_k: 128"),
        (SINGLE, "masked: true", "masked: 1"),
        (SINGLE, "run: score_variance", "run: score_variances"),
        (SINGLE, "correct: true", "correct: false"),
        (SINGLE, "about: 8", "about: 9"),
        (SINGLE, "about: 8", "about: score_mean"),
        (SINGLE, "rtol: 0.05", "rtol: 0.06"),
        (SINGLE, "rtol: 0.05", "atol: 0.05"),
        (SINGLE, "rtol: 0.05", "rtol: 0.05, times: 2"),
        (SINGLE, "metric: entropy, below", "metric: entropy, above"),
        (SINGLE, "[2, 1]", "[1, 2]"),
        (SINGLE, "        counterfactual: {run: softmax, with: {logits: [2, 1]}}\n", ""),
        (NUMERIC, "metric: score_std", "metric: score_mean"),
        (NUMERIC, "metric: score_std", "value: 8"),
        (NUMERIC, "rtol: 0.05", "rtol: 0.1"),
        (NUMERIC, "unit: nats", "unit: bits"),
        (OPEN, "id: mean", "id: zero-mean"),
        (CLAIM, "about: 64", "about: 8"),
        (CLAIM, "      - {metric: score_mean, below: 1}\n", ""),
        (CLAIM, "run: score_variance", "run: softmax"),
        (PREDICT, "metric: score_std", "metric: score_mean"),
        (PREDICT, "full: 0.05", "full: 0.1"),
        (PREDICT, "none: 0.5", "none: 0.4"),
    ],
)
def test_what_decides_changes_the_meaning(
    text: str, before: str, after: str, tmp_path: Path
) -> None:
    assert before in text
    old, new = identity(text, tmp_path), identity(text.replace(before, after), tmp_path)
    assert new.meaning != old.meaning


def test_the_order_of_what_a_claim_expects_does_not_matter(tmp_path: Path) -> None:
    one, other = (line for line in CLAIM.splitlines() if "- {metric" in line)
    turned = CLAIM.replace(f"{one}\n{other}", f"{other}\n{one}")
    assert turned != CLAIM
    assert identity(turned, tmp_path) == identity(CLAIM, tmp_path)


def test_a_sentence_tied_to_a_run_decides_nothing(tmp_path: Path) -> None:
    tied = identity(SENTENCE.replace("about: 8", "about: 9"), tmp_path)
    assert tied == identity(SENTENCE, tmp_path)
    assert tied.meaning == identity(OPEN, tmp_path).meaning


@pytest.mark.parametrize("edit", [("difficulty: 2", "difficulty: 3"), ("scaling]", "softmax]")])
def test_filing_changes_neither(edit: tuple[str, str], tmp_path: Path) -> None:
    assert identity(SINGLE.replace(*edit), tmp_path) == identity(SINGLE, tmp_path)
