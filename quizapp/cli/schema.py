"""`quizapp schema`: the JSON Schema of bank files, for editors."""

from __future__ import annotations

import click


@click.command("schema")
@click.argument("subject", default="question", metavar="[question|bank|exercise]")
@click.pass_context
def command(ctx: click.Context, subject: str) -> None:
    """Print the JSON Schema of question files, of bank.yaml or of exercise.yaml.

    `quizapp new` puts it beside what it writes, in .schema/, and names it in the first line.
    For files of your own:

    \b
    quizapp schema question > .schema/question.json
    # yaml-language-server: $schema=.schema/question.json
    """
    from quizapp.session.writing import schema_text
    from quizapp.text import i18n

    i18n.set_language(ctx.obj["lang"] or i18n.system_language())
    click.echo(schema_text(subject), nl=False)
