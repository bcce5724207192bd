"""Rules about answers in parts: steps, pairs, blanks and shapes that a learner can get right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.kinds.filling import PLACE, spellings
from quizapp.bank.kinds.ordering import needed
from quizapp.bank.models import (
    BaseQuestion,
    BlankQuestion,
    Choice,
    Item,
    MatchQuestion,
    OrderQuestion,
    Partner,
    ShapeQuestion,
    Step,
    Written,
)
from quizapp.bank.twins import at, same_ids, same_texts
from quizapp.bank.walk import Path, wordings
from quizapp.bank.words import clip, closest, listed


def check_kinds(bank: Bank) -> Iterator[Diagnostic]:
    """Findings about the parts of questions that are not answered by one choice."""
    for question in bank.questions.values():
        rule = _RULES.get(type(question))
        if rule is not None:
            yield from rule(bank, question)


# --- steps in order ----------------------------------------------------------------


def _order(bank: Bank, question: OrderQuestion) -> Iterator[Diagnostic]:
    placed: list[tuple[Path, Step | Choice]] = [
        *at(("steps",), question.steps),
        *at(("distractors",), question.distractors),
    ]
    yield from same_ids(bank, question, "`steps` and `distractors`", placed)
    yield from same_texts(bank, question, placed)
    for index, distractor in enumerate(question.distractors):
        if distractor.correct:
            message = f"the distractor `{distractor.id}` cannot be right"
            remedy = "Remove `correct: true`, or make it one of the steps."
            path = ("distractors", index, "correct")
            yield bank.diagnose("QB060", question.id, path, message, remedy)
    yield from _needs(bank, question)


def _needs(bank: Bank, question: OrderQuestion) -> Iterator[Diagnostic]:
    """What the steps need before them exists, is no circle, and is something."""
    names = [step.id for step in question.steps]
    for index, step in enumerate(question.steps):
        for number, name in enumerate(step.after or ()):
            if name not in names:
                message = f"`{step.id}` needs `{name}`, which is no step{closest(name, names)}"
                remedy = f"Steps are {listed(names)}."
                path = ("steps", index, "after", number)
                yield bank.diagnose("QB067", question.id, path, message, remedy)
    wanted = needed(question)
    circle = [name for name in names if name in wanted[name]]
    if circle:
        message = f"the steps {listed(circle)} need each other, so none can come first"
        remedy = "A step without `after` follows the one above it; write `after: []` for none."
        yield bank.diagnose("QB067", question.id, ("steps",), message, remedy)
    elif not any(wanted.values()):
        message = "no step needs another, so every order is right"
        remedy = "Leave out `after` where a step follows the one above it."
        yield bank.diagnose("QB067", question.id, ("steps",), message, remedy)


# --- pairs -------------------------------------------------------------------------


def _match(bank: Bank, question: MatchQuestion) -> Iterator[Diagnostic]:
    partners = [partner.id for partner in question.partners]
    lists: dict[str, Sequence[Item | Partner]] = {
        "items": question.items,
        "partners": question.partners,
    }
    for field, entries in lists.items():
        placed = tuple(at((field,), entries))
        yield from same_ids(bank, question, f"`{field}`", placed)
        yield from same_texts(bank, question, placed)
    for index, item in enumerate(question.items):
        if item.partner not in partners:
            name = item.partner
            message = f"`{item.id}` has no partner `{name}`{closest(name, partners)}"
            remedy = f"Partners are {listed(partners)}."
            path = ("items", index, "partner")
            yield bank.diagnose("QB068", question.id, path, message, remedy)


# --- blanks ------------------------------------------------------------------------


def _blank(bank: Bank, question: BlankQuestion) -> Iterator[Diagnostic]:
    yield from same_ids(bank, question, "`blanks`", at(("blanks",), question.blanks))
    yield from _places(bank, question)
    for number, blank in enumerate(question.blanks):
        field = "choices" if blank.choices else "written"
        path = ("blanks", number, field)
        yield from same_ids(bank, question, f"`{field}`", at(path, blank.options))
        right = [choice.id for choice in blank.options if choice.correct]
        if blank.choices and len(right) != 1:
            have = f"not {len(right)}: {listed(right)}" if right else "not none"
            message = f"the blank `{blank.id}` has one right choice, {have}"
            remedy = "Mark one with `correct: true`."
            yield bank.diagnose("QB060", question.id, path, message, remedy)
        if blank.written and not right:
            message = f"no answer to the blank `{blank.id}` is right"
            remedy = "Mark the right ones with `correct: true`."
            yield bank.diagnose("QB060", question.id, path, message, remedy)
        if blank.choices:
            yield from same_texts(bank, question, at(path, blank.choices))
        yield from _same_forms(bank, question, path, blank.written)


def _places(bank: Bank, question: BlankQuestion) -> Iterator[Diagnostic]:
    """In every language each blank has its one place in the sentence, and each place its blank."""
    known = [blank.id for blank in question.blanks]
    for path, _, wording in wordings(("sentence",), question.sentence):
        found = [place.group(1) for place in PLACE.finditer(wording)]
        for name in dict.fromkeys(found):
            if name not in known:
                message = f"`[[{clip(name)}]]` is no blank{closest(name, known)}"
                remedy = f"Blanks are {listed(known)}."
                inside = (f"[[{name}]]", 0)
                yield bank.diagnose("QB045", question.id, path, message, remedy, inside=inside)
        for name in known:
            if found.count(name) != 1:
                times = "nowhere" if name not in found else f"{found.count(name)} times"
                message = f"the blank `{name}` stands {times} in the sentence"
                remedy = f"Write `[[{name}]]` once, where it is to be filled in."
                yield bank.diagnose("QB045", question.id, path, message, remedy)


def _same_forms(
    bank: Bank, question: BlankQuestion, path: Path, written: Sequence[Written]
) -> Iterator[Diagnostic]:
    """What is typed must mean one thing."""
    meant: dict[str, Choice] = {}
    for index, one in enumerate(written):
        for form in spellings(one):
            first = meant.setdefault(form, one)
            if first is not one:
                message = f"`{one.id}` and `{first.id}` are typed alike: `{clip(form)}`"
                remedy = "Give each a spelling of its own; case, blanks and _ do not count."
                yield bank.diagnose("QB062", question.id, (*path, index), message, remedy)


# --- shapes ------------------------------------------------------------------------


def _shape(bank: Bank, question: ShapeQuestion) -> Iterator[Diagnostic]:
    yield from same_ids(bank, question, "`slips`", at(("slips",), question.slips))
    seen: dict[tuple[int, ...], str] = {}
    for index, slip in enumerate(question.slips):
        first = seen.setdefault(slip.shape, slip.id)
        if first != slip.id:
            message = f"`{slip.id}` has the same shape as `{first}`"
            remedy = "Keep one of them."
            path = ("slips", index, "shape")
            yield bank.diagnose("QB062", question.id, path, message, remedy)
    if "[" in question.answer.metric:
        message = f"`{question.answer.metric}` is one size, not a shape"
        remedy = "Name the whole list, without [ ]."
        yield bank.diagnose("QB028", question.id, ("answer", "metric"), message, remedy)


_RULES: Final[Mapping[type[BaseQuestion], Callable[[Bank, Any], Iterator[Diagnostic]]]] = {
    OrderQuestion: _order,
    MatchQuestion: _match,
    BlankQuestion: _blank,
    ShapeQuestion: _shape,
}
