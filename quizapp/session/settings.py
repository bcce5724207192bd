"""The learner's settings: few, named, each with what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from quizapp.errors import MachineError, UsageError
from quizapp.session import paths, terminal
from quizapp.study.clock import SystemClock
from quizapp.study.store import Store
from quizapp.text.nearest import nearest

#: Every setting, its default and what it takes.
KNOWN: Final[dict[str, tuple[str, str]]] = {
    "language": ("", "en or zh; empty follows the system"),
    "day_start": ("4", "the hour, 0 to 23, at which a study day begins"),
    "banks": ("", "folders of further question banks, separated by ':'"),
    "device": ("auto", "auto, cpu, cuda or mps"),
    "tf32": ("off", "on or off; on: float32 products on CUDA are faster and coarser"),
    "theme": ("", "dark or light; empty asks COLORFGBG, else dark"),
    "keys": ("", "remapped keys, as hint=h,reseed=ctrl+s"),
}
_CHOICES: Final = {
    "language": ("", "en", "zh"),
    "device": ("auto", "cpu", "cuda", "mps"),
    "tf32": ("on", "off"),
    "theme": ("", "dark", "light"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What the settings say now."""

    language: str
    device: str
    tf32: bool
    light: bool
    banks: tuple[Path, ...]
    keys: tuple[tuple[str, str], ...]


def read(store: Store | None) -> Settings:
    """The settings kept in `store`; the defaults without one."""
    values = {name: get(store, name) for name in KNOWN}
    pairs = (pair.partition("=") for pair in values["keys"].split(",") if pair)
    return Settings(
        language=values["language"],
        device=values["device"],
        tf32=values["tf32"] == "on",
        light=values["theme"] == "light" or (not values["theme"] and terminal.light_ground()),
        banks=tuple(Path(part).expanduser() for part in values["banks"].split(":") if part),
        keys=tuple((name.strip(), keys.strip()) for name, _, keys in pairs),
    )


def kept() -> tuple[Settings, str]:
    """The learner's settings, and why they are the defaults where the log cannot be opened.

    Where nothing was ever saved, nothing is made.
    """
    file = paths.data_folder() / "study.db"
    if not file.exists():
        return read(None), ""
    try:
        with Store.open(file, SystemClock().now()) as store:
            return read(store), ""
    except MachineError as error:
        return read(None), str(error)


def get(store: Store | None, name: str) -> str:
    """One setting's value. Raises UsageError for a name that is none."""
    default, _ = _known(name)
    return default if store is None else store.get_setting(name, default) or default


def put(store: Store, name: str, value: str) -> None:
    """Change one setting. Raises UsageError for a wrong name or value."""
    _, takes = _known(name)
    if name in _CHOICES and value not in _CHOICES[name]:
        raise UsageError(f"{name} cannot be {value!r}", remedy=f"It takes {takes}.")
    if name == "keys" and not all("=" in pair for pair in value.split(",") if pair):
        raise UsageError(f"keys cannot be {value!r}", remedy=f"It takes {takes}.")
    if name == "banks":
        value = ":".join(str(_bank(part)) for part in value.split(":") if part)
    store.set_setting(name, value or None)


def _bank(text: str) -> Path:
    folder = Path(text).expanduser().resolve()
    if not folder.is_dir():
        raise UsageError("there is no such folder", where=text)
    return folder


def _known(name: str) -> tuple[str, str]:
    if name not in KNOWN:
        raise UsageError(
            f"there is no setting {name!r}",
            remedy=nearest(name, KNOWN) or f"There are: {', '.join(KNOWN)}.",
        )
    return KNOWN[name]
