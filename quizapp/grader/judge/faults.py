"""A worker's fault as the judge's own: one of the kinds a grade may have, in words."""

from __future__ import annotations

from typing import Final, get_args

from quizapp.grader.judge.contract import SubmissionFault
from quizapp.grader.wire import Kind
from quizapp.sandbox import wording
from quizapp.sandbox.host import Fault

_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


def told(fault: Fault, entry: str) -> SubmissionFault:
    """The fault as a learner should read it. `entry`: the name they were asked for."""
    kind: Kind = next((known for known in _KINDS if known == fault.kind), "protocol")
    en, zh = wording.words(kind, fault.facts, entry)
    return SubmissionFault(kind, en=en, zh=zh)
