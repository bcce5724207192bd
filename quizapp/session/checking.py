"""Holds banks to their promises: schema, rules, and with `compute` what runs show.

`fix` mends what takes no judgement, `against` tells what an edit means for learners.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Final

from quizapp.bank import Bank, Diagnostic, Loaded, in_order, load_banks
from quizapp.bank import check as check_rules
from quizapp.bank.compare import Change, check_vanished, compare
from quizapp.bank.fix import mend
from quizapp.bank.tells import Tells, tells
from quizapp.errors import ContentError, UsageError
from quizapp.grader.batch import default_jobs
from quizapp.lab.catalogue import catalogue
from quizapp.lab.client import Engine
from quizapp.session.compute import try_bank
from quizapp.session.run_cache import RunCache
from quizapp.session.try_exercises import Score, try_exercises
from quizapp.text.nearest import nearest

__all__ = ["Change", "Checked", "Score", "Tells", "against", "check", "compute", "fix"]

#: A mended mistake may uncover another one; in the end one of them is not mended by its repair.
_ROUNDS: Final = 30
#: One line may hold several mistakes of a sort; a repair that does not help is not repeated long.
_TRIES: Final = 3
#: Engines side by side at most; each holds up to a gigabyte while it trains.
_ENGINES: Final = 4


@dataclass(frozen=True, slots=True)
class Checked:
    """What `quizapp check` found."""

    banks: tuple[Bank, ...]
    diagnostics: tuple[Diagnostic, ...]
    tells: tuple[tuple[str, Tells], ...]
    scores: tuple[Score, ...] = ()
    mended: tuple[Diagnostic, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing found is an error."""
        return all(found.severity != "error" for found in self.diagnostics)

    @property
    def clean(self) -> bool:
        """Whether nothing was found at all, as `--strict` wants it."""
        return not self.diagnostics


def check(path: Path) -> Checked:
    """Read and check every bank at `path`. Raises ContentError where there is none."""
    loaded = load_banks(path)
    return _checked(loaded)


def _checked(loaded: tuple[Loaded, ...]) -> Checked:
    banks = tuple(one.bank for one in loaded if one.bank is not None)
    found = [diagnostic for one in loaded for diagnostic in one.diagnostics]
    found += check_rules(banks, catalogue())
    return Checked(banks, in_order(found), tuple((bank.id, tells(bank)) for bank in banks))


def fix(path: Path) -> Checked:
    """Mend what takes no judgement in the files at `path`, then check what they have become.

    Raises ContentError where there is no bank, MachineError where a file cannot be written.
    """
    checked, mended, tried = check(path), list[Diagnostic](), Counter[tuple[str, int, str]]()
    for _ in range(_ROUNDS):
        made: list[Diagnostic] = []
        for name, found in groupby(checked.diagnostics, key=lambda one: one.path):
            made += mend(Path(name), [one for one in found if tried[_spot(one)] < _TRIES])
        if not made:
            break
        tried.update(map(_spot, made))
        mended += made
        checked = check(path)
    left = {_spot(one) for one in checked.diagnostics}
    return replace(checked, mended=tuple(one for one in mended if _spot(one) not in left))


def _spot(found: Diagnostic) -> tuple[str, int, str]:
    """What a repair must make disappear."""
    return found.path, found.line, found.code


def against(checked: Checked, old: Path) -> Checked:
    """The same with what changed since the older copy at `old`, of the bank or its folder.

    Raises ContentError when there is no bank at `old`, or none that can be read.
    """
    before = [one.bank for one in load_banks(old) if one.bank is not None]
    if not before:
        raise ContentError(
            "the older copy of the bank cannot be read",
            where=str(old),
            remedy=f"`quizapp check {old}` shows why.",
        )
    changes = compare(before, checked.banks)
    found = [*checked.diagnostics, *check_vanished(changes, checked.banks)]
    return replace(checked, diagnostics=in_order(found), changes=changes)


async def compute(
    checked: Checked,
    *,
    only: frozenset[str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Checked:
    """The same with every run made; pointless, and not done, while the reading has errors.

    Raises UsageError when `only` names what no bank has.
    """
    if not checked.ok:
        return checked
    _known(checked.banks, only or ())
    engines, cache = [Engine() for _ in range(default_jobs(_ENGINES))], RunCache()
    found = list(checked.diagnostics)
    try:
        for bank in checked.banks:
            found += await try_bank(bank, engines, only=only, cache=cache, progress=progress)
    finally:
        cache.close()
        await asyncio.gather(*(engine.close() for engine in engines))
    wrong, scores = await try_exercises(checked.banks, only=only, progress=progress)
    return replace(checked, diagnostics=in_order(found + wrong), scores=tuple(scores))


def _known(banks: tuple[Bank, ...], only: Iterable[str]) -> None:
    names = {name for bank in banks for name in (*bank.questions, *bank.exercises)}
    for name in only:
        if name not in names:
            raise UsageError(
                f"there is no question or exercise {name!r} in what is checked",
                remedy=nearest(name, names) or "`quizapp check PATH --only ID` takes an id.",
            )
