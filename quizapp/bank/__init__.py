"""Question banks: YAML files as frozen models, and diagnostics that point at the line.

Plain data only; the lab, torch and the terminal are not known here.
"""

from quizapp.bank.bank import Bank, Loaded
from quizapp.bank.diagnostics import CODES, Diagnostic, in_order
from quizapp.bank.identity import Identity, identify
from quizapp.bank.load import (
    FileResult,
    load_bank,
    load_banks,
    read_questions,
)
from quizapp.bank.models import (
    BankHeader,
    BaseQuestion,
    Choice,
    ClaimQuestion,
    Expectation,
    MultiQuestion,
    NumericAnswer,
    NumericQuestion,
    OpenQuestion,
    Prediction,
    PredictQuestion,
    Question,
    Run,
    Sentence,
    Show,
    ShownRow,
    SingleQuestion,
)
from quizapp.bank.rules import check
from quizapp.bank.tells import Tell, Tells, tells

__all__ = [
    "CODES",
    "Bank",
    "BankHeader",
    "BaseQuestion",
    "Choice",
    "ClaimQuestion",
    "Diagnostic",
    "Expectation",
    "FileResult",
    "Identity",
    "Loaded",
    "MultiQuestion",
    "NumericAnswer",
    "NumericQuestion",
    "OpenQuestion",
    "PredictQuestion",
    "Prediction",
    "Question",
    "Run",
    "Sentence",
    "Show",
    "ShownRow",
    "SingleQuestion",
    "Tell",
    "Tells",
    "check",
    "identify",
    "in_order",
    "load_bank",
    "load_banks",
    "read_questions",
    "tells",
]
