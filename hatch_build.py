"""Puts the question banks into a built wheel; an editable install reads them in place."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BanksInWheel(BuildHookInterface[Any]):
    """Maps `questions/` to `quizapp/_questions/`, except where the folder itself is in use."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called once per build; `version` is "standard" or "editable"."""
        if version == "standard":
            build_data["force_include"]["questions"] = "quizapp/_questions"
