"""`quizapp doctor`: what this machine and terminal can do."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict

import click

from quizapp.errors import TROUBLE

_SIGNS = {"ok": "ok", "warning": "!!", "trouble": "XX"}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Tell versions, devices, terminal, data folder and bank problems.

    Exit code 2 when something keeps quizapp from working.
    """
    from quizapp.plot.width import wrap
    from quizapp.session.health import examine

    found = asyncio.run(examine())
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=2))
    else:
        for one in found:
            lines = [line for text in (one.text, one.remedy) if text for line in wrap(text, 84)]
            head = f"{_SIGNS[one.state]}  {one.name:<10} "
            for index, line in enumerate(lines):
                click.echo((head if index == 0 else " " * len(head)) + line)
    ctx.exit(TROUBLE if any(one.state == "trouble" for one in found) else 0)
