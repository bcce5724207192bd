"""One warm zygote for the whole file: it takes seconds to start, a worker milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from quizapp.sandbox.host import Zygote
from quizapp.sandbox.proxy import Remote

Load = Callable[..., Remote]


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Shared by every test: workers do not touch it."""
    zygote = Zygote()
    yield zygote
    zygote.close()


@pytest.fixture
def load(zygote: Zygote) -> Iterator[Load]:
    """load(source, forbidden=()) → the `f` (or class `F`) that the source defines."""
    started: list[Remote] = []

    def load(source: str, *, forbidden: tuple[str, ...] = (), seconds: float = 20.0) -> Remote:
        remote = Remote(zygote.fork(), seconds)
        started.append(remote)
        remote.load(source.encode(), "f", "F", forbidden)
        return remote

    yield load
    for remote in started:
        remote.worker.end()
