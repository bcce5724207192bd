"""`quizapp config`: show or change a setting."""

from __future__ import annotations

import json

import click


@click.command("config")
@click.argument("name", required=False)
@click.argument("value", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the settings as JSON.")
def command(name: str | None, value: str | None, as_json: bool) -> None:
    """Show all settings, or the one called NAME, or change it to VALUE.

    An empty VALUE ('') goes back to the default.
    """
    from quizapp.session import settings
    from quizapp.session.session import open_store

    with open_store() as store:
        if name is not None and value is not None:
            settings.put(store, name, value)
        elif name is not None:
            click.echo(settings.get(store, name))
        elif as_json:
            values = {each: settings.get(store, each) for each in settings.KNOWN}
            click.echo(json.dumps(values, ensure_ascii=False, indent=2))
        else:
            for each, (_, takes) in settings.KNOWN.items():
                click.echo(f"{each:<10} {settings.get(store, each) or '–':<24} {takes}")
