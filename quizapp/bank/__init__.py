"""Question banks: YAML files as frozen models, and diagnostics that point at the line.

Plain data only; the lab, torch and the terminal are not known here.

What parses and checks is imported when it is first asked for: a learner whose banks are
compiled needs neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from quizapp.bank.bank import Bank, Loaded
from quizapp.bank.diagnostics import CODES, Diagnostic, in_order
from quizapp.bank.exercises import Exercise, ExerciseFolder, SameAs, in_language
from quizapp.bank.identity import Identity, identify
from quizapp.bank.models import (
    BankHeader,
    BaseQuestion,
    Blank,
    BlankQuestion,
    Choice,
    ClaimQuestion,
    Expectation,
    Item,
    MatchQuestion,
    MultiQuestion,
    NearMiss,
    NumericAnswer,
    NumericQuestion,
    OpenQuestion,
    OrderQuestion,
    Partner,
    Prediction,
    PredictQuestion,
    Question,
    Run,
    Sentence,
    ShapeQuestion,
    ShapeSlip,
    Show,
    ShownRow,
    SingleQuestion,
    Step,
    Variants,
    Written,
)

if TYPE_CHECKING:
    from quizapp.bank.load import FileResult, load_bank, load_banks, read_questions
    from quizapp.bank.rules import check
    from quizapp.bank.tells import Tell, Tells

__all__ = [
    "CODES",
    "Bank",
    "BankHeader",
    "BaseQuestion",
    "Blank",
    "BlankQuestion",
    "Choice",
    "ClaimQuestion",
    "Diagnostic",
    "Exercise",
    "ExerciseFolder",
    "Expectation",
    "FileResult",
    "Identity",
    "Item",
    "Loaded",
    "MatchQuestion",
    "MultiQuestion",
    "NearMiss",
    "NumericAnswer",
    "NumericQuestion",
    "OpenQuestion",
    "OrderQuestion",
    "Partner",
    "PredictQuestion",
    "Prediction",
    "Question",
    "Run",
    "SameAs",
    "Sentence",
    "ShapeQuestion",
    "ShapeSlip",
    "Show",
    "ShownRow",
    "SingleQuestion",
    "Step",
    "Tell",
    "Tells",
    "Variants",
    "Written",
    "check",
    "identify",
    "in_language",
    "in_order",
    "load_bank",
    "load_banks",
    "read_questions",
]

#: What an author's mistakes are found with, and its module.
_LATER: Final = {
    "FileResult": "load",
    "Tell": "tells",
    "Tells": "tells",
    "check": "rules",
    "load_bank": "load",
    "load_banks": "load",
    "read_questions": "load",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value
