"""The app with a small bank, a folder of its own, a clock we set, and an engine in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from fake_judge import FakeJudge
from textual.pilot import Pilot

from quizapp.grader.client import Judge
from quizapp.lab.client import Engine
from quizapp.lab.wire import Own, Ready
from quizapp.report import Failure, Report
from quizapp.session.session import Session, open_session
from quizapp.study.days import Moment
from quizapp.text import Text, i18n
from quizapp.tui.app import QuizApp, Start

SMALL = Path(__file__).parent.parent / "data" / "small"


class TestClock:
    """A clock that stands still until it is moved."""

    __test__ = False

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 2, 12, tzinfo=UTC)

    def now(self) -> Moment:
        return Moment(self.at, 60)

    def move(self, **by: float) -> None:
        self.at += timedelta(**by)


class LocalJob:
    """One run in this process; `gate` holds its reports back until it is opened."""

    def __init__(self, name: str, params: Mapping[str, object], engine: LocalEngine) -> None:
        self._name, self._params, self._engine = name, dict(params), engine
        self.cancelled = False

    async def __aiter__(self) -> AsyncIterator[Report]:
        import torch

        from quizapp.lab.engine.runner import reports

        torch.set_num_threads(1)  # as in the engine: several tests run at a time
        await self._engine.gate.wait()
        if self._engine.failure is not None:
            yield Report(experiment=self._name, status="failed", failure=self._engine.failure)
            return
        for report in reports(self._name, self._params, "cpu"):
            if self.cancelled:
                return
            yield report
            await asyncio.sleep(0)

    async def cancel(self) -> None:
        self.cancelled = True


class LocalEngine:
    """The engine's interface over the same runner, without the child process."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.failure: Failure | None = None
        self.devices: tuple[str, ...] = ("cpu",)
        self.jobs: list[LocalJob] = []
        self.asked = ("", False)  # device and TF32 of the last run
        self.own: Own | None = None  # the learner's function of the last run
        self.closed = False

    async def ready(self) -> Ready:
        if self.failure is not None:
            return Ready(torch=None, problem=self.failure.text.to("en"))
        return Ready(torch="2", devices=self.devices, seconds=0.1)

    async def submit(
        self,
        experiment: str,
        params: Mapping[str, object],
        device: str = "auto",
        *,
        tf32: bool = False,
        own: Own | None = None,
    ) -> LocalJob:
        self.asked = (device, tf32)
        self.own = own
        self.jobs.append(LocalJob(experiment, params, self))
        return self.jobs[-1]

    async def close(self) -> None:
        self.closed = True

    def lose_torch(self) -> None:
        """From now on there is no torch."""
        self.failure = Failure(kind="torch", text=Text.of("No module named 'torch'"))


class Driven:
    """A running app with its pilot, clock and engine."""

    def __init__(
        self, app: QuizApp, pilot: Pilot[None], clock: TestClock, engine: LocalEngine
    ) -> None:
        self.app, self.pilot, self.clock, self.engine = app, pilot, clock, engine

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, holds: Callable[[], Any]) -> None:
        """Until `holds()` is true; fails when it does not become so."""
        for _ in range(400):
            if holds():
                await self.pilot.pause()
                return
            await self.pilot.pause(0.01)
        pytest.fail(f"it never came to be; the screen shows\n{self.screen()}")

    async def question(self) -> None:
        """Until a question is on the screen and the lab is warm."""
        await self.until(
            lambda: self.app.screen is self.app.question and self.app.question.entry is not None
        )
        await self.until(lambda: self.app.lab_word)

    async def verdict(self) -> None:
        """Until the verdict has all its numbers and is saved."""
        await self.until(
            lambda: (
                self.app.screen is self.app.verdict
                and self.app.verdict.trial is not None
                and self.app.verdict.trial.complete
                and (self.app.verdict.trial.saved or self.app.verdict.trial.problem)
            )
        )

    def screen(self) -> str:
        """What the screen shows, as text."""
        size = self.app.size
        lines = self.app.screen._compositor.render_strips(size)
        return "\n".join(strip.text.rstrip() for strip in lines)


Drive = Callable[..., Any]


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """``async with drive(start, size) as driven``: the app, running."""

    @asynccontextmanager
    async def running(
        start: Start = "daily",
        size: tuple[int, int] = (80, 24),
        *,
        home: Path | None = None,
        banks: Path = SMALL,
        language: str = "en",
        ascii_only: bool = False,
        engine: LocalEngine | None = None,
        experiment: str | None = None,
        judge: FakeJudge | None = None,
        exercise: str | None = None,
        file: Path | None = None,
    ) -> AsyncIterator[Driven]:
        clock, local = TestClock(), engine or LocalEngine()

        def opener(wanted: str | None) -> Session:
            return open_session(
                language=wanted,
                home=home or tmp_path,
                clock=clock,
                engine=cast(Engine, local),
                banks=banks,
                judge=cast(Judge, judge or FakeJudge()),
            )

        app = QuizApp(
            start,
            experiment=experiment,
            exercise=exercise,
            file=file,
            language=language,
            ascii_only=ascii_only,
            opener=opener,
        )
        async with app.run_test(size=size, notifications=True) as pilot:
            yield Driven(app, pilot, clock, local)
        i18n.set_language("en")

    return running
