"""`ByHand`: the half of a session in which attention is written, not answered."""

from __future__ import annotations

import asyncio
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.session.library import Library
from quizapp.study.clock import Clock
from quizapp.study.store import Store

if TYPE_CHECKING:
    from quizapp.grader.client import Judge
    from quizapp.session.desk import Desk
    from quizapp.session.own import Own
    from quizapp.session.practice import Practice
    from quizapp.session.shelf import Shelf, Shelved
    from quizapp.session.workbench import Workbench


class ByHand:
    """Exercises and their grader. Imported at the first use: questions need none of it."""

    def __init__(
        self, library: Library, store: Store | None, clock: Clock, judge: Judge | None
    ) -> None:
        self.library = library
        self._store = store
        self._clock = clock
        self._judge = judge
        self._benches: dict[Path, Workbench] = {}

    @cached_property
    def shelf(self) -> Shelf:
        """The exercises, and how far the learner is with each."""
        from quizapp.session.shelf import Shelf

        return Shelf(self.library, self._store)

    @cached_property
    def practice(self) -> Practice:
        """Grades what is written; its judge starts at the first use."""
        from quizapp.session.practice import Practice

        return Practice(self._store, self._clock, self._judge)

    async def take(self, name: str, file: Path | None = None) -> Workbench:
        """The bench of an exercise, the same one each time, and the file made if need be.

        Raises UsageError for a name that is none, MachineError where the file cannot be read.
        """
        from quizapp.session.workbench import Workbench

        desk = self.shelf.desk(name, file)
        bench = self._benches.get(desk.file)
        if bench is None:
            bench = Workbench(self.practice, desk)
        await bench.begin()
        self._benches[desk.file] = bench
        return bench

    async def exercises(self) -> tuple[Shelved, ...]:
        """Every exercise, easiest first, with its state today. Raises MachineError."""
        return await asyncio.to_thread(lambda: self.shelf.listed(self._clock.now()))

    def runs_in_lab(self, desk: Desk) -> bool:
        """Whether experiments can run what is on `desk` in place of our attention."""
        from quizapp.session.own import suits

        return suits(desk)

    async def own_function(self, desk: Desk) -> Own | None:
        """The function on `desk`, for experiments to run; None where `runs_in_lab` says no.

        Raises MachineError where the file cannot be read.
        """
        from quizapp.session.own import function_on

        return await asyncio.to_thread(function_on, desk)

    async def end_practice(self) -> None:
        """End the judge, if there is one."""
        if "practice" in self.__dict__:
            await self.practice.close()
