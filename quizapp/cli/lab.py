"""`quizapp lab`: every experiment on the screen, its parameters to vary."""

from __future__ import annotations

import click


@click.command("lab")
@click.argument("name", required=False)
@click.pass_context
def command(ctx: click.Context, name: str | None) -> None:
    """Open the lab on the experiment NAME; without one, on the list of them all.

    Without a screen: `quizapp run`.
    """
    from quizapp.cli.home import screen

    if name is not None:
        from quizapp.session.experiments import exists

        exists(name)
    ctx.exit(screen("lab", ctx.obj, experiment=name))
