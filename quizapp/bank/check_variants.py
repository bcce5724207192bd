"""Rules about variants: names that mean one thing, values that are used, and every rule for each.

A finding that not every variant causes names the first one that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final

from quizapp.bank import arithmetic
from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic, in_order
from quizapp.bank.models import BaseQuestion, ClaimQuestion, Question, Variants, Written
from quizapp.bank.variants import cases, slots
from quizapp.bank.walk import runs, texts, wordings
from quizapp.bank.words import listed
from quizapp.report import Catalogue
from quizapp.text.placeholders import fields

#: Found about a bank as a whole, whose questions must all be there: too many argued choices.
_OF_THE_BANK: Final = "QB064"

Rules = Callable[[Bank], Iterator[Diagnostic]]


def first_of_each(bank: Bank) -> Bank:
    """The bank with every question as its first variant asks it."""
    asked: dict[str, Question] = {name: cases(q)[0].question for name, q in bank.questions.items()}
    return replace(bank, questions=asked)


def each_variant(bank: Bank, rules: Rules) -> Iterator[Diagnostic]:
    """What `rules` find of the questions of a bank, whichever variant is asked."""
    varied = {name: cases(q) for name, q in bank.questions.items() if q.variants is not None}
    first = tuple(rules(first_of_each(bank)))
    if not varied:
        yield from first
        return
    of_others: set[Diagnostic] = set()
    for name, every in varied.items():
        found = [in_order(rules(replace(bank, questions={name: case.question}))) for case in every]
        for diagnostic in in_order(one for each in found for one in each):
            if diagnostic.code == _OF_THE_BANK:
                continue
            of_others.add(diagnostic)
            causes = [case for case, each in zip(every, found, strict=True) if diagnostic in each]
            if len(causes) == len(every):
                yield diagnostic
            else:
                yield told(diagnostic, causes[0].name)
    yield from (one for one in first if one not in of_others)


def told(diagnostic: Diagnostic, variant: str) -> Diagnostic:
    """The finding with the variant it is about; as it is where there are no variants."""
    if not variant:
        return diagnostic
    return replace(diagnostic, message=f"{diagnostic.message}; {variant}")


def check_variants(bank: Bank, catalogue: Catalogue) -> Iterator[Diagnostic]:
    """Findings about the variants themselves; `bank` with its questions as they are written."""
    for question in bank.questions.values():
        if question.variants is None:
            yield from _stray(bank, question)
            continue
        yield from _taken(bank, question, question.variants, catalogue)
        yield from _alike(bank, question, question.variants)
        yield from _unused(bank, question, question.variants)
        yield from _in_title(bank, question, question.variants)
        if isinstance(question, ClaimQuestion):
            message = "a claim circulates with its numbers, so it has no variants"
            remedy = "Write a claim for each, or make it another kind of question."
            yield bank.diagnose("QB048", question.id, ("variants",), message, remedy, key=True)


def _stray(bank: Bank, question: BaseQuestion) -> Iterator[Diagnostic]:
    for path, name in slots(question):
        message = f"`{{{name}}}` stands for a value, but the question has no variants"
        remedy = "Write the number, or give the question `variants:`."
        yield bank.diagnose("QB047", question.id, path, message, remedy)


def _taken(
    bank: Bank, question: BaseQuestion, variants: Variants, catalogue: Catalogue
) -> Iterator[Diagnostic]:
    """In a text `{name}` must be one thing: a value, or what a run measures."""
    for name in variants.names:
        place = (
            ("variants", "let", name) if name in variants.let else ("variants", "values", 0, name)
        )
        for _, run in runs(question):
            experiment = catalogue.experiments.get(run.run)
            if experiment is not None and name in experiment.metrics:
                message = f"`{name}` is also what `{run.run}` measures"
                remedy = "Give the value another name."
                yield bank.diagnose("QB047", question.id, place, message, remedy, key=True)
                break
        if name in arithmetic.FUNCTIONS:
            message = f"`{name}` is also a function"
            remedy = "Give the value another name."
            yield bank.diagnose("QB047", question.id, place, message, remedy, key=True)


def _alike(bank: Bank, question: BaseQuestion, variants: Variants) -> Iterator[Diagnostic]:
    for (one, first), (two, second) in combinations(enumerate(variants.values), 2):
        if first == second:
            message = f"variants {one + 1} and {two + 1} are the same"
            remedy = "Let each have other values; a repeat should show other numbers."
            yield bank.diagnose("QB048", question.id, ("variants", "values", two), message, remedy)


def _unused(bank: Bank, question: BaseQuestion, variants: Variants) -> Iterator[Diagnostic]:
    used = {name for _, name in slots(question)}
    for path, text in texts(question):
        for _, _, wording in wordings(path, text):
            used |= {part.name for part in fields(wording)}
    used |= {part.name for form in _forms(question) for part in fields(form)}
    for formula in variants.let.values():
        used |= set(arithmetic.names(formula))
    unused = [name for name in variants.names if name not in used]
    if unused:
        message = f"nothing uses {listed(unused)}"
        remedy = "Use it as `{name}` in a text or in quotes in `with:`, or remove it."
        path = ("variants",)
        yield bank.diagnose(
            "QB048", question.id, path, message, remedy, severity="warning", key=True
        )


def _forms(question: BaseQuestion) -> Iterator[str]:
    for blank in getattr(question, "blanks", ()):
        for one in blank.written:
            assert isinstance(one, Written)
            yield from one.forms


def _in_title(bank: Bank, question: BaseQuestion, variants: Variants) -> Iterator[Diagnostic]:
    """Lists show the title before it is settled which variant is asked."""
    for path, _, wording in wordings(("title",), question.title):
        for part in fields(wording):
            if part.name in variants.names:
                message = f"the title cannot have {part.source}: it is one for all variants"
                remedy = "Name the question without the number."
                inside = (part.source, 0)
                yield bank.diagnose("QB048", question.id, path, message, remedy, inside=inside)
