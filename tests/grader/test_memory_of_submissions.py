"""What an exercise may say about memory: by a stand-in, and by the judge with real workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from judging import SyncJudge, exercises

from quizapp.grader.testing import Mismatch, stays_small

MIB = 2**20
HELD = {"small": 200 * MIB, "large": 230 * MIB}


@dataclass
class Stand:
    """A submission whose workers hold what they are told to, and which counts its workers."""

    calls: list[Any] = field(default_factory=list)
    form: Literal["function", "class"] = "function"
    headroom: list[int] = field(default_factory=list)
    ended: int = 0
    last: str = ""

    def with_init(self, **_: int) -> Stand:
        raise NotImplementedError

    origin: Stand | None = None

    def fresh(self, *, memory_mib: int) -> Stand:
        self.headroom.append(memory_mib)
        return Stand(origin=self)

    def __call__(self, which: str) -> None:
        self.last = which
        self.calls.append(which)
        if which == "fails":
            raise MemoryError

    def peak_bytes(self) -> int:
        assert self.origin is not None
        self.origin.ended += 1
        return HELD.get(self.last, 0)


def test_what_a_call_holds_is_told_beyond_a_small_call() -> None:
    stand = Stand()
    stays_small(stand, ["small"], ["large"], mib=30, headroom_mib=60)
    with pytest.raises(Mismatch, match="held 30 MiB at its peak, and may hold 29") as found:
        stays_small(stand, ["small"], ["large"], mib=29, headroom_mib=60)
    assert "30 MiB，上限是 29 MiB" in found.value.message["zh"]
    assert (stand.headroom, stand.ended) == ([60] * 4, 4)


def test_such_calls_are_forgotten_and_their_workers_ended_even_after_a_fault() -> None:
    stand = Stand(calls=["before"])
    with pytest.raises(MemoryError):
        stays_small(stand, ["small"], ["fails"], mib=30, headroom_mib=60)
    assert (stand.calls, stand.ended) == (["before"], 2)


@pytest.fixture(scope="module")
def judge() -> Iterator[SyncJudge]:
    judge = SyncJudge()
    yield judge
    judge.close()


#: Submissions whose numbers are right, and the kind of fault that their memory is.
KINDS = {
    "materialises": {"memory"},
    "tiles_kept": {"memory"},
    "rows_of_all_keys": {"memory", "wrong"},
    "mask_of_all": {"memory", "wrong"},
}


@pytest.mark.parametrize("name", KINDS)
def test_the_judge_measures_memory_in_a_worker_of_its_own(judge: SyncJudge, name: str) -> None:
    if judge.isolation != "strict":
        pytest.skip("this system cannot confine a process: no seccomp")
    folder = exercises()["flash_attention"]
    grade = judge.grade(folder, folder.mistake(name).read_bytes())
    failed = [test for test in grade.tests if test.outcome == "failed"]
    assert grade.verdict == "failed"
    assert {test.name.to("en") for test in failed} == {
        "causal, 6144 × 6144 scores never exist at once, nor a mask of that size",
        "a block of queries never holds its scores with all 32768 keys",
    }
    assert {test.kind for test in failed} <= KINDS[name]
    assert grade.diagnosis is None
