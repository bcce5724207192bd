"""What a worker did instead of answering, in words: English, then Chinese."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import Any, Final

from quizapp.text.plain import one_line

Facts = Mapping[str, Any]
_SHOWN: Final = 300
PROTOCOL: Final = "protocol"


def words(kind: str, facts: Facts, entry: str) -> tuple[str, str]:
    """The fault as a learner should read it, in both languages.

    `entry` is the name they were asked for. An unknown kind is PROTOCOL's: only a forged
    frame can carry one.
    """
    return _WORDING.get(kind, _WORDING[PROTOCOL])({**facts, "entry": entry})


def _say(facts: Facts, key: str) -> str:
    """A fact as one bounded, harmless line: it may come from the submission itself."""
    return one_line(str(facts.get(key) or ""))[:_SHOWN]


def _at(facts: Facts) -> tuple[str, str]:
    line, code = facts.get("line"), _say(facts, "code")
    if type(line) is not int:
        return "", ""
    shown = f": {code}" if code else ""
    return f" (line {line}{shown})", f"（第 {line} 行{shown}）"


def _exception(facts: Facts) -> tuple[str, str]:
    en, zh = _at(facts)
    error = f"{_say(facts, 'type')}: {_say(facts, 'text')}".removesuffix(": ")
    return error + en, error + zh


def _syntax(facts: Facts) -> tuple[str, str]:
    en, zh = _at(facts)
    return (
        f"not valid Python: {_say(facts, 'text')}{en}",
        f"不是合法的 Python：{_say(facts, 'text')}{zh}",
    )


def _missing(facts: Facts) -> tuple[str, str]:
    defined = facts.get("defined")
    names = (
        ", ".join(one_line(str(name))[:40] for name in defined) if isinstance(defined, list) else ""
    )
    found = (f"; it defines {names}", f"；其中定义了 {names}") if names else ("", "")
    entry = facts["entry"]
    return f"there is no function `{entry}`{found[0]}", f"没有函数 `{entry}`{found[1]}"


def _timeout(facts: Facts) -> tuple[str, str]:
    seconds = facts.get("seconds")
    limit = (
        (f" within {seconds:g} s", f" {seconds:g} 秒")
        if isinstance(seconds, int | float)
        else ("", "")
    )
    return f"it did not finish{limit[0]}", f"未能在限时{limit[1]}内完成"


def _memory(facts: Facts) -> tuple[str, str]:
    mib = facts.get("mib")
    if type(mib) is not int:
        return "it needed more memory than is allowed", "所需内存超过了上限"
    return f"it needed more than the {mib} MiB it may use", f"所需内存超过了允许的 {mib} MiB"


def _crash(facts: Facts) -> tuple[str, str]:
    number = facts.get("signal")
    try:
        name = signal.Signals(number).name if type(number) is int else ""
    except ValueError:
        name = str(number)
    return f"the process crashed ({name})", f"进程崩溃（{name}）"


def _exit(facts: Facts) -> tuple[str, str]:
    status = _say(facts, "text")
    return (
        f"it ended its process instead of returning (status {status})",
        f"它结束了进程，而没有返回结果（状态 {status}）",
    )


def _flood(_: Facts) -> tuple[str, str]:
    return "it printed without end; it was stopped at 16 MiB", "不停地打印输出；到 16 MiB 时被终止"


def _forbidden(facts: Facts) -> tuple[str, str]:
    name = _say(facts, "name")
    en, zh = _at(facts)
    return f"`{name}` is not allowed in this exercise{en}", f"本题不允许使用 `{name}`{zh}"


def _protocol(_: Facts) -> tuple[str, str]:
    return (
        "it tampered with the channel its results travel on",
        "它干扰了传送结果的通道",
    )


_WORDING: Final[dict[str, Callable[[Facts], tuple[str, str]]]] = {
    "exception": _exception,
    "syntax": _syntax,
    "missing-function": _missing,
    "timeout": _timeout,
    "memory": _memory,
    "crash": _crash,
    "exit": _exit,
    "output-flood": _flood,
    "forbidden": _forbidden,
    "protocol": _protocol,
}
