"""Exercises as frozen models: what `exercise.yaml` may say, and the files that lie beside it.

exercises/NAME/exercise.yaml    this model
               starter.py       what the learner begins with
               tests.py         hidden tests
               solutions/*.py   two or more, differently written
               mistakes/ID.py   one for each entry of `mistakes`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field, field_validator, model_validator

from quizapp.bank.bank import BankFile
from quizapp.bank.base import Format, Id, Model, Tag
from quizapp.bank.written import ERROR, Decimal, Truth, Whole
from quizapp.text import Text

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

SHEET: Final = "exercise.yaml"
STARTER: Final = "starter.py"
TESTS: Final = "tests.py"
SOLUTIONS: Final = "solutions"
MISTAKES: Final = "mistakes"

#: A folder, a solution or a mistake: safe as a file name everywhere, and a module's name.
PLAIN_NAME: Final = r"^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$"
_TERM: Final = r"(?:[A-Za-z][A-Za-z0-9_]*|[1-9][0-9]{0,4})"

PlainName = Annotated[str, Field(pattern=PLAIN_NAME, max_length=60)]
PythonName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=60)]
#: `S_k`, a fixed size such as `2`, or a sum of them such as `S_past+S_new`.
Axis = Annotated[str, Field(pattern=rf"^{_TERM}(?:\+{_TERM})*$", max_length=60)]
DottedName = Annotated[
    str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+$", max_length=200)
]


@dataclass(frozen=True, slots=True)
class SameAs:
    """A mistake whose results are another one's: whichever it was, that diagnosis is told."""

    id: str


@dataclass(frozen=True, slots=True)
class WrittenDiagnosis:
    """`none`, `{same_as: ID}`, or a text that completes "Your result equals …"."""

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_wrap_validator_function(
            _diagnosis,
            handler.generate_schema(Text),
            serialization=core_schema.plain_serializer_function_ser_schema(_written),
        )

    def __get_pydantic_json_schema__(
        self, told: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        same_as = {"type": "string", "pattern": PLAIN_NAME}
        alike = {"type": "object", "properties": {"same_as": same_as}, "required": ["same_as"]}
        return {"anyOf": [handler(told), {**alike, "additionalProperties": False}]}


def _written(told: Text | SameAs | None) -> str | dict[str, str]:
    if isinstance(told, SameAs):
        return {"same_as": told.id}
    return "none" if told is None else told.plain()


def _diagnosis(value: Any, text: Callable[[Any], Text]) -> Text | SameAs | None:
    if value is None or value == "none":
        return None
    if isinstance(value, SameAs):
        return value
    if isinstance(value, dict) and "same_as" in value:
        target = value["same_as"]
        if len(value) == 1 and isinstance(target, str) and re.match(PLAIN_NAME, target):
            return SameAs(target)
    elif isinstance(value, dict | Text):
        return text(value)
    from pydantic_core import PydanticCustomError

    wanted = "`none`, `{same_as: ID}`, or a text in each language"
    raise PydanticCustomError(ERROR, "{wanted}", {"wanted": wanted})


Diagnosis = Annotated[Text | SameAs | None, WrittenDiagnosis()]


class Argument(Model):
    """One argument: a tensor with a name for each axis, or a plain number.

    broadcast: any shape that broadcasts to `shape`; such an argument binds no size.
    """

    name: PythonName
    shape: tuple[Axis, ...] | None = Field(None, max_length=8)
    type: Literal["int", "float", "bool"] | None = None
    optional: Truth = False
    broadcast: Truth = False

    @model_validator(mode="after")
    def _tensor_or_number(self) -> Argument:
        if (self.shape is None) == (self.type is None):
            raise ValueError("an argument has either a shape or a type")
        if self.broadcast and self.shape is None:
            raise ValueError("only a tensor is broadcast")
        return self


class Returned(Model):
    """One tensor that is given back."""

    name: PythonName
    shape: tuple[Axis, ...] = Field(max_length=8)


class ClassForm(Model):
    """An `nn.Module` that is accepted in place of the function.

    init: what the constructor is given: sizes of axes, or arguments that are numbers. The
    instance is called with the same arguments as the function.
    """

    name: PythonName
    init: tuple[PythonName, ...] = Field((), max_length=8)


class Limits(Model):
    """What one call may take: seconds, and address space beyond the warm process."""

    seconds: Annotated[float, Decimal(above=0, below=61)] = 5.0
    memory_mib: Annotated[int, Whole(16, 8192)] = 512


class Exercise(Model):
    """A function to write by hand, with all that is said about it."""

    format: Format
    id: PlainName
    title: Text
    statement: Text
    entry: PythonName
    class_: ClassForm | None = Field(None, alias="class")
    arguments: tuple[Argument, ...] = Field(min_length=1, max_length=16)
    returns: tuple[Returned, ...] = Field(min_length=1, max_length=16)
    hints: tuple[Text, ...] = Field(min_length=1)
    tags: tuple[Tag, ...] = Field(min_length=1)
    difficulty: Annotated[int, Whole(1, 5)]
    minutes: Annotated[int, Whole(1, 120)]
    limits: Limits = Limits()
    forbidden: tuple[DottedName, ...] = ()
    mistakes: dict[PlainName, Diagnosis] = Field(min_length=1)
    followups: tuple[Id, ...] = ()

    @field_validator("arguments", "returns")
    @classmethod
    def _names_once(cls, entries: tuple[Argument | Returned, ...]) -> Any:
        names = [entry.name for entry in entries]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the name `{twice}` is given twice")
        return entries

    @field_validator("arguments")
    @classmethod
    def _optional_last(cls, arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
        optional = [argument.optional for argument in arguments]
        if optional != sorted(optional):
            raise ValueError("optional arguments come last")
        return arguments

    def diagnosis(self, mistake: str) -> tuple[str, Text] | None:
        """The id and the text told for a mistake, `same_as` followed; None if it has none."""
        told = self.mistakes[mistake]
        if isinstance(told, SameAs):
            mistake, told = told.id, self.mistakes.get(told.id)
        return (mistake, told) if isinstance(told, Text) else None


@dataclass(frozen=True, slots=True)
class ExerciseFolder:
    """One exercise where it lies: what `exercise.yaml` says, and the paths of its files."""

    path: Path
    exercise: Exercise
    file: BankFile = field(repr=False)

    @property
    def starter(self) -> Path:
        """What the learner begins with."""
        return self.path / STARTER

    @property
    def tests(self) -> Path:
        """The hidden tests."""
        return self.path / TESTS

    @property
    def solutions(self) -> tuple[Path, ...]:
        """Every model solution, by name."""
        return tuple(sorted((self.path / SOLUTIONS).glob("*.py")))

    @property
    def reference(self) -> Path:
        """The solution that others are compared with: a class where there is one.

        A class can be made for any constructor values and called like the function; of a
        function, a call with values of its own says nothing.
        """
        form = self.exercise.class_
        if form is not None:
            defines = re.compile(rf"^class {form.name}\b", re.MULTILINE)
            for path in self.solutions:
                if defines.search(path.read_text(encoding="utf-8")):
                    return path
        return self.solutions[0]

    def mistake(self, name: str) -> Path:
        """The file of one mistake."""
        return self.path / MISTAKES / f"{name}.py"


#: A comment that is for readers of one language only.
_MARKED: Final = re.compile(r"(\s*)# (en|zh) (.*)", re.DOTALL)


def in_language(source: str, language: str) -> str:
    """Python source as one reader sees it: of `# en …` and `# zh …` lines, theirs as `# …`."""
    return "".join(_lines(source, language))


def _lines(source: str, language: str) -> Iterator[str]:
    for line in source.splitlines(keepends=True):
        marked = _MARKED.fullmatch(line)
        if marked is None:
            yield line
        elif marked[2] == language:
            yield f"{marked[1]}# {marked[3]}"
