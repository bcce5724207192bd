"""`quizapp export`: everything that was saved."""

from __future__ import annotations

import json

import click


@click.command("export")
@click.option("--json", "as_json", is_flag=True, help="As JSON, the only form there is.")
def command(as_json: bool) -> None:  # noqa: ARG001 - the flag names the form for scripts
    """Write the whole study log, cards and settings to standard output."""
    from quizapp.session.session import open_store

    with open_store() as store:
        click.echo(json.dumps(store.export(), ensure_ascii=False, indent=2))
