"""Scalars as an author writes them: exact spellings of numbers and yes/no.

Bank files reach the models as text (see `quizapp.bank.compose`); these types turn
the text into a value where the model wants one. Stricter than pydantic's lax mode,
which also takes `yes`, `1_000` and surrounding blanks. Values of the right Python
type pass as they are, so models can be built in code too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

#: The type of the errors these validators raise, for `quizapp.bank.explain`.
ERROR: Final = "written"

INTEGER: Final = r"^[-+]?(?:0|[1-9][0-9]{0,18})$"
DECIMAL: Final = r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?$"
METRIC: Final = r"^[a-z][a-z0-9_]*(?:\[[0-9]{1,3}\])?$"
#: The place of a value that differs between the variants of a question.
SLOT: Final = r"^\{[a-z][a-z0-9_]{0,29}\}$"


class Slot(float):
    """Stands where a number will, in a question with variants: `{d_k}`. Itself no number.

    A float, so that every field of a number can hold one; equal to a slot of the same name.
    """

    name: str

    def __new__(cls, written: str) -> Slot:
        slot = super().__new__(cls, "nan")
        slot.name = written.strip("{}")
        return slot

    def __str__(self) -> str:
        return f"{{{self.name}}}"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slot) and other.name == self.name

    def __hash__(self) -> int:
        return hash(("slot", self.name))

    def __reduce__(self) -> tuple[type[Slot], tuple[str]]:
        return Slot, (str(self),)


def _slots() -> list[Any]:
    """The schemas of a slot as such and of a written one."""
    from pydantic_core import core_schema as cs

    made = cs.chain_schema([cs.is_instance_schema(Slot)])
    written = cs.no_info_after_validator_function(Slot, cs.str_schema(pattern=SLOT))
    return [made, written]


def _plain(value: Any) -> Any:
    """A slot, or those in a list, as they are written."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return str(value) if isinstance(value, Slot) else value


def _either(*members: Any, wanted: str, slot: bool = False) -> CoreSchema:
    """One of `members`, or with `slot` the place of a variant's value."""
    from pydantic_core import core_schema

    return core_schema.union_schema(
        [*members, *(_slots() if slot else ())],
        serialization=core_schema.plain_serializer_function_ser_schema(_plain),
        mode="left_to_right",
        custom_error_type=ERROR,
        custom_error_message="{wanted}",
        custom_error_context={"wanted": wanted},
    )


@dataclass(frozen=True, slots=True)
class YesNo:
    """`true` or `false`, nothing else."""

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema as cs

        word = cs.chain_schema([cs.literal_schema(["true", "false"]), cs.bool_schema()])
        return _either(cs.bool_schema(strict=True), word, wanted="`true` or `false`")


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `low` to `high`; with `slot`, or a variant's value."""

    low: int
    high: int
    slot: bool = False

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema as cs

        bounds: dict[str, Any] = {"ge": self.low, "le": self.high}
        written = cs.chain_schema([cs.str_schema(pattern=INTEGER), cs.int_schema(**bounds)])
        wanted = f"a whole number from {self.low} to {self.high}"
        whole = cs.int_schema(strict=True, **bounds)
        return _either(whole, written, wanted=wanted, slot=self.slot)


@dataclass(frozen=True, slots=True)
class Decimal:
    """A finite number, above `above` and below `below` where they are given."""

    above: float | None = None
    below: float | None = None

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _either(*self.members(), wanted=self.wanted, slot=True)

    @property
    def wanted(self) -> str:
        """What an author is told to write."""
        limits = (("above", self.above), ("below", self.below))
        told = " and ".join(f"{word} {x:g}" for word, x in limits if x is not None)
        return f"a number {told}".rstrip()

    def members(self) -> list[Any]:
        """The schemas of a number as such and of a written one."""
        from pydantic_core import core_schema as cs

        bounds: dict[str, Any] = {"gt": self.above, "lt": self.below, "allow_inf_nan": False}
        written = cs.chain_schema([cs.str_schema(pattern=DECIMAL), cs.float_schema(**bounds)])
        return [cs.float_schema(strict=True, **bounds), written]


@dataclass(frozen=True, slots=True)
class NumberOrMetric:
    """A number, or the name of another metric of the same run."""

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema as cs

        name = cs.str_schema(pattern=METRIC)
        wanted = "a number, or the name of a metric"
        return _either(*Decimal().members(), name, wanted=wanted, slot=True)


@dataclass(frozen=True, slots=True)
class FreeScalar:
    """What an experiment's parameter may be: true/false, a number, a text, a list of numbers."""

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema as cs

        number = cs.float_schema(strict=True, allow_inf_nan=False)
        return _either(
            cs.bool_schema(strict=True),
            cs.int_schema(strict=True),
            number,
            cs.str_schema(strict=True),
            cs.tuple_variable_schema(cs.union_schema([number, *_slots()])),
            wanted="a number, `true`, `false`, a text, or a list of numbers",
        )


Truth = Annotated[bool, YesNo()]
Number = Annotated[float, Decimal()]
Positive = Annotated[float, Decimal(above=0)]
Fraction = Annotated[float, Decimal(above=0, below=1)]
Threshold = Annotated[float | str, NumberOrMetric()]
ParamScalar = Annotated[bool | int | float | str | tuple[float, ...], FreeScalar()]
