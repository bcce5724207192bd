"""Foreign source text made into a module, inside the worker, with the exercise's rules applied."""

from __future__ import annotations

import ast
import io
import linecache
import sys
import tokenize
import traceback
import types
from collections.abc import Callable, Sequence
from typing import Any, Final

NAME: Final = "submission"
FILE: Final = "<submission>"
_TEXT_LIMIT: Final = 2000


class Rejected(Exception):  # noqa: N818 - the source's fault, not ours
    """The source cannot be used: which kind of fault, and the facts to word it from."""

    def __init__(self, kind: str, **facts: Any) -> None:
        super().__init__(kind)
        self.kind, self.facts = kind, facts


def load(data: bytes, forbidden: Sequence[str]) -> types.ModuleType:
    """Decode, parse, check and run `data`. Raises Rejected, or whatever the source raises."""
    text = _decode(data)
    tree = _parse(text)
    if (found := forbidden_use(tree, forbidden)) is not None:
        name, line = found
        raise Rejected("forbidden", name=name, line=line)
    module = types.ModuleType(NAME)
    module.__file__ = FILE
    sys.modules[NAME] = module  # dataclasses and pickling look a class's module up
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    exec(compile(tree, FILE, "exec", dont_inherit=True), module.__dict__)
    return module


def _decode(data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding, errors="strict")
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise Rejected("syntax", text=str(error)[:_TEXT_LIMIT], line=None) from error
    # As Python's own tokenizer does; a NUL is refused by ast.parse.
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _parse(text: str) -> ast.Module:
    try:
        return ast.parse(text, FILE)
    except SyntaxError as error:
        raise Rejected("syntax", text=str(error.msg)[:_TEXT_LIMIT], line=error.lineno) from error
    except (ValueError, RecursionError, MemoryError) as error:
        # NUL bytes; nesting deeper than the parser goes.
        raise Rejected("syntax", text=str(error) or "nested too deeply", line=None) from error


def forbidden_use(tree: ast.Module, forbidden: Sequence[str]) -> tuple[str, int] | None:
    """The first mention of a forbidden dotted name, through import aliases too, and its line.

    A rule of the exercise, not a barrier: what gets past it meets the overridden functions.
    """
    if not forbidden:
        return None
    names = {"torch": "torch"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                names[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        full = _dotted(node, names)
        for name in forbidden:
            if full is not None and (full == name or full.startswith(f"{name}.")):
                return name, getattr(node, "lineno", 0)
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (name := f"{node.module}.{alias.name}") in forbidden:
                    return name, node.lineno
    return None


def _dotted(node: ast.AST, names: dict[str, str]) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return None
    return ".".join([names[node.id], *reversed(parts)])


def describe(error: BaseException) -> dict[str, Any]:
    """Type, message and the submission's own line of an error, each bounded."""
    line = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == FILE:
            line = number
    return {
        "type": _words(lambda: type(error).__name__)[:200],
        "text": _words(lambda: str(error))[:_TEXT_LIMIT],
        "line": line,
        "code": linecache.getline(FILE, line).strip()[:200] if line else "",
    }


def _words(say: Callable[[], str]) -> str:
    """What a foreign `__str__` says; it may raise instead, or return what is no text."""
    try:
        return str.__str__(say())  # a subclass of str may lie about its length
    except BaseException as error:  # noqa: BLE001 - foreign code may raise anything
        return f"<no text: {type(error).__qualname__}>"
