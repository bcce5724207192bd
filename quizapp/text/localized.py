"""`Text`: one piece of writing in as many languages as it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quizapp.text.tex import shown

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

LANGUAGES: Final = ("en", "zh")

#: The key of a text that is the same in every language (a formula, a name).
_ANY: Final = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A string that is the same everywhere, or one string per language.

    Written in YAML and JSON as ``softmax(QKᵀ)`` or ``{en: …, zh: …}``.
    """

    by_language: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, value: str | Mapping[str, str] | Text) -> Text:
        """Make a Text from what a file or an experiment states."""
        if isinstance(value, Text):
            return value
        if isinstance(value, str):
            return cls(((_ANY, value),))
        return cls(tuple(value.items()))

    @property
    def languages(self) -> frozenset[str]:
        """The languages this text is written in; all of them for a plain string."""
        keys = {key for key, _ in self.by_language}
        return frozenset(LANGUAGES) if _ANY in keys else frozenset(keys)

    def to(self, language: str) -> str:
        """The wording in `language`, else English, else whatever there is; TeX as written."""
        wordings = dict(self.by_language)
        for key in (language, _ANY, "en"):
            if key in wordings:
                return wordings[key]
        return self.by_language[0][1] if self.by_language else ""

    def shown(self, language: str) -> str:
        """The same as people read it: formulas in Unicode, where that says the same."""
        return shown(self.to(language))

    def plain(self) -> str | dict[str, str]:
        """The form it is written in: a string, or a mapping of language to string."""
        wordings = dict(self.by_language)
        return wordings.get(_ANY, wordings)

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        written = core_schema.union_schema(
            [
                core_schema.str_schema(min_length=1, strict=True),
                core_schema.dict_schema(
                    core_schema.literal_schema(list(LANGUAGES)),
                    core_schema.str_schema(min_length=1, strict=True),
                    min_length=1,
                ),
            ],
            mode="left_to_right",
        )
        return core_schema.union_schema(
            [
                core_schema.is_instance_schema(cls),
                core_schema.no_info_after_validator_function(cls.of, written),
            ],
            mode="left_to_right",
            custom_error_type="text",
            custom_error_message="a text, or one per language: {languages}",
            custom_error_context={"languages": ", ".join(LANGUAGES)},
            serialization=core_schema.plain_serializer_function_ser_schema(cls.plain),
        )
