"""The command line: one small module per verb, imported only when it is used."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence
from typing import Final

import click

from quizapp import __version__
from quizapp.errors import INTERRUPTED, OK, TROUBLE, QuizappError

#: Every verb and its line in `quizapp --help`: the module is imported when it is called.
VERBS: Final = {
    "daily": "Answer today's question.",
    "lab": "Run experiments with parameters of your own, live.",
    "run": "Run one experiment and print its numbers.",
    "practice": "Write attention by hand, graded by tests.",
    "grade": "Grade hand-written attention, one file or a class's.",
    "check": "Check question banks, every mistake at its line.",
    "new": "Begin a bank, a question, an exercise or an experiment.",
    "preview": "Show a question as learners see it, anew on each save.",
    "schema": "Print the JSON Schema of bank files, for editors.",
    "stats": "Show what you know, and what comes due.",
    "folklore": "List the claims you met, and what your own runs measured.",
    "undo": "Take back the last answer.",
    "export": "Write everything that was saved as JSON.",
    "config": "Show or change a setting.",
    "doctor": "Tell what this machine and terminal can do.",
}


class Verbs(click.Group):
    """The commands of `VERBS`, found without importing any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(
        self,
        ctx: click.Context,
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command = importlib.import_module(f"quizapp.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(
        self,
        ctx: click.Context,
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS:
            from quizapp.text.nearest import nearest

            hint = nearest(args[0], VERBS) or "See `quizapp --help`."
            ctx.fail(f"there is no command {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="quizapp")
@click.option("--debug", is_flag=True, help="Show a traceback with an error.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Speak this language this time.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with plain ASCII characters.")
@click.option("--plain", is_flag=True, help="Today's question on standard input and output.")
@click.pass_context
def root(ctx: click.Context, debug: bool, lang: str | None, ascii_only: bool, plain: bool) -> None:
    """Interview questions about transformer attention; every answer meets a live computation.

    Without a command it opens the home screen.
    """
    ctx.obj = {"debug": debug, "lang": lang, "ascii": ascii_only}
    if ctx.invoked_subcommand is None and plain:
        from quizapp.cli.plain import daily

        ctx.exit(daily(ctx.obj))
    if ctx.invoked_subcommand is None:
        from quizapp.cli.home import home

        ctx.exit(home(ctx.obj))


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code, with errors told in words."""
    try:
        code = root.main(list(arguments), prog_name="quizapp", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`quizapp run … | head`): nothing is wrong with the run.
        sys.stderr.close()
        return OK
    except Exception as error:  # noqa: BLE001 - the last line of defence: told in words
        return _told(error, debug="--debug" in arguments)
    return code if isinstance(code, int) else OK


def _told(error: Exception, *, debug: bool) -> int:
    """Say what failed and what to do; a traceback only for those who ask. The exit code."""
    if isinstance(error, click.ClickException):
        error.show()
        return TROUBLE
    if debug:
        traceback.print_exception(error)
    if isinstance(error, QuizappError):
        click.echo(f"quizapp: {error}", err=True)
        return error.exit_code
    click.echo(f"quizapp: this should not have happened: {error!r}", err=True)
    click.echo("  Nothing saved is lost; `quizapp --debug …` shows where.", err=True)
    return TROUBLE
