"""`Playing`: the parameters a learner changes on the verdict, and what + and - would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from quizapp.report import ParamInfo, ParamValue
from quizapp.session.steps import movable, neighbour
from quizapp.session.trial import Trial
from quizapp.text.i18n import _


@dataclass(slots=True)
class Playing:
    """Which parameter + and - move, and the values now in force."""

    trial: Trial
    params: Mapping[str, ParamInfo]
    _at: int = 0

    @property
    def name(self) -> str | None:
        """The parameter + and - move; None where nothing can be stepped."""
        names = movable(self.params)
        return names[self._at % len(names)] if names else None

    def next_parameter(self) -> None:
        """Move the next one from now on."""
        self._at += 1

    def values(self) -> dict[str, ParamValue]:
        """Every parameter's value, the newest change included."""
        changed = self.trial.overrides if self.trial.pending is None else self.trial.pending
        given = {**self.trial.question.experiment.with_, **changed}
        return {
            name: cast(ParamValue, given.get(name, info.default))
            for name, info in self.params.items()
        }

    def _changed(self, name: str, value: object) -> dict[str, object]:
        now = self.trial.overrides if self.trial.pending is None else self.trial.pending
        return {**now, name: value}

    def step(self, direction: int) -> dict[str, object] | None:
        """Overrides with the next larger or smaller value; None at the end of the range."""
        if self.name is None:
            return None
        value = neighbour(self.params[self.name], self.values()[self.name], direction)
        return None if value is None else self._changed(self.name, value)

    def neighbour_words(self, direction: int) -> str:
        """What + or - would set: "d_k 128"."""
        if self.name is None:
            return "–"
        value = neighbour(self.params[self.name], self.values()[self.name], direction)
        return f"{self.name} {'–' if value is None else _shown(value)}"

    def reseed(self) -> dict[str, object]:
        """Overrides with the next seed."""
        return self._changed("seed", int(cast(int, self.values()["seed"])) + 1)

    def reset(self) -> dict[str, object]:
        """Overrides that change nothing: the question's own run."""
        return {}

    def line(self) -> str:
        """Which run the "measured" column shows: "score_variance: d_k 64, seed 0"."""
        experiment = self.trial.mine.experiment
        own = self.trial.question.experiment
        stated = dict(self.trial.mine.params)
        if experiment == own.run:
            values = {**self.values(), **stated}
            named = [n for n in self.params if n in stated or n in (self.name, "seed")]
        else:
            values = {"seed": self.values()["seed"], **cast(dict[str, ParamValue], stated)}
            named = list(values)
        named.sort(key=lambda name: name == "seed")
        words = ", ".join(f"{name} {_shown(cast(ParamValue, values[name]))}" for name in named)
        if self.trial.overrides:
            return _("{experiment}: {values} (your own run)").format(
                experiment=experiment, values=words
            )
        return f"{experiment}: {words}"


def _shown(value: ParamValue) -> str:
    if isinstance(value, tuple):
        return ",".join(f"{item:g}" for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
