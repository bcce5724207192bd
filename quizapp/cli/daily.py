"""`quizapp daily`: straight to today's question."""

from __future__ import annotations

import click


@click.command("daily")
@click.option("--plain", is_flag=True, help="On standard input and output, without a screen.")
@click.pass_context
def command(ctx: click.Context, plain: bool) -> None:
    """Answer today's question; on a first visit three easy ones come before it."""
    if plain:
        from quizapp.cli.plain import daily

        ctx.exit(daily(ctx.obj))
    from quizapp.cli.home import screen

    ctx.exit(screen("daily", ctx.obj))
