"""Holds banks to their promises: schema, rules, and with `compute` what runs show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quizapp.bank import Bank, Diagnostic, Loaded, in_order, load_banks
from quizapp.bank import check as check_rules
from quizapp.bank.tells import Tells, tells
from quizapp.lab.catalogue import catalogue
from quizapp.lab.client import Engine
from quizapp.session.compute import try_bank
from quizapp.session.run_cache import RunCache
from quizapp.session.try_exercises import Score, try_exercises

__all__ = ["Checked", "Score", "Tells", "check", "compute"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What `quizapp check` found."""

    banks: tuple[Bank, ...]
    diagnostics: tuple[Diagnostic, ...]
    tells: tuple[tuple[str, Tells], ...]
    scores: tuple[Score, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing found is an error."""
        return all(found.severity != "error" for found in self.diagnostics)


def check(path: Path) -> Checked:
    """Read and check every bank at `path`. Raises ContentError where there is none."""
    loaded = load_banks(path)
    return _checked(loaded)


def _checked(loaded: tuple[Loaded, ...]) -> Checked:
    banks = tuple(one.bank for one in loaded if one.bank is not None)
    found = [diagnostic for one in loaded for diagnostic in one.diagnostics]
    found += check_rules(banks, catalogue())
    return Checked(banks, in_order(found), tuple((bank.id, tells(bank)) for bank in banks))


async def compute(
    checked: Checked,
    *,
    only: frozenset[str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Checked:
    """The same with every run made; pointless, and not done, while the reading has errors."""
    if not checked.ok:
        return checked
    engine, cache = Engine(), RunCache()
    found = list(checked.diagnostics)
    try:
        for bank in checked.banks:
            found += await try_bank(bank, engine, only=only, cache=cache, progress=progress)
    finally:
        cache.close()
        await engine.close()
    wrong, scores = await try_exercises(checked.banks, only=only, progress=progress)
    return Checked(checked.banks, in_order(found + wrong), checked.tells, tuple(scores))
