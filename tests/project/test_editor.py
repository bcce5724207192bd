"""What an author's editor shows of bank files: the real yaml-language-server, over LSP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from yaml_server import YamlServer, running, server

from quizapp.bank.shapes import KINDS
from quizapp.session.paths import shipped_banks
from quizapp.session.writing import kinds, new_bank, new_exercise, new_question, schema_text

SHIPPED = sorted(shipped_banks().rglob("*.yaml"))
HEAD = "# yaml-language-server: $schema=question.json\n"


@pytest.fixture(scope="module")
def editor() -> Iterator[YamlServer]:
    command = server()
    if command is None:
        pytest.skip(
            "no yaml-language-server: `npm install yaml-language-server`, then put it on PATH "
            "or name it in QUIZAPP_YAML_SERVER"
        )
    with running(command) as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where files lie beside their schemas."""
    made = tmp_path_factory.mktemp("editor")
    for subject in ("question", "bank", "exercise"):
        (made / f"{subject}.json").write_text(schema_text(subject), encoding="utf-8")
    return made


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(HEAD + text, encoding="utf-8")
    return file


def place(file: Path, mark: str) -> tuple[int, int]:
    """Line and column, from 1, right after the first `mark`."""
    before = file.read_text("utf-8").split(mark)[0] + mark
    return before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1


def sound(folder: Path) -> str:
    """A question without a fault, to be spoilt."""
    file = folder / "sound" / "sound.yaml"
    if not file.exists():
        new_question(file)
    return file.read_text("utf-8").split("\n", 1)[1]


# --- help while one types ------------------------------------------------------------


def test_after_kind_every_kind_is_offered(editor: YamlServer, folder: Path) -> None:
    file = write(folder, "kinds.yaml", "format: quizapp/1\nquestions:\n  - id: one\n    kind: \n")
    editor.problems(file)
    offered = editor.completions(file, *place(file, "kind: "))
    assert list(offered) == list(KINDS)
    assert offered["shape"] == "The shape of a tensor, axis by axis."


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_fields_of_a_kind_are_offered(editor: YamlServer, folder: Path, kind: str) -> None:
    text = f"format: quizapp/1\nquestions:\n  - id: one\n    kind: {kind}\n    \n"
    file = write(folder, f"fields-{kind}.yaml", text)
    editor.problems(file)
    offered = set(editor.completions(file, *place(file, f"{kind}\n    ")))
    model = KINDS[kind]
    assert {field.alias or name for name, field in model.model_fields.items()} - offered == {
        "id",
        "kind",
    }
    others = {name for each in KINDS.values() for name in each.model_fields} - {*model.model_fields}
    assert others & offered == set()


def test_experiments_and_their_parameters_are_offered(editor: YamlServer, folder: Path) -> None:
    text = "format: quizapp/1\nquestions:\n  - id: one\n    experiment:\n      run: \n"
    file = write(folder, "runs.yaml", text)
    editor.problems(file)
    assert "softmax" in editor.completions(file, *place(file, "run: "))
    text = text.replace("run: ", "run: softmax\n      with:\n        ")
    file = write(folder, "parameters.yaml", text)
    editor.problems(file)
    offered = editor.completions(file, *place(file, "with:\n        "))
    assert offered["temperature"] == "logits are divided by it"


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("    promp", "Fix the regime: shapes, distribution"),
        ("      ru", "The experiment's name"),
        ("        counterfac", "The run that this choice implies"),
        ("    experi", "The run that meets every answer"),
        ("    kin", "Steps to be put in order"),
    ],
)
def test_a_field_is_explained(editor: YamlServer, folder: Path, mark: str, told: str) -> None:
    file = write(folder, "hover.yaml", sound(folder))
    editor.problems(file)
    line, column = place(file, mark)
    assert told in editor.hover(file, line, column - 1)


# --- squiggles -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("    prompt:", "    promt:", "Property promt is not allowed."),
        ("kind: single", "kind: singel", 'Valid values: "single", "multi", "numeric"'),
        ("difficulty: 2", "difficulty: 9", "Value is above the maximum of 5."),
        ("difficulty: 2", "difficulty: two", 'Incorrect type. Expected "integer".'),
        ("correct: true", "correct: yes", 'Incorrect type. Expected "boolean".'),
        ("      zh: 什么会", "      cn: 什么会", "cn"),
        ("run: score_variance\n", "run: score_varianc\n", "Value is not accepted."),
        ("with: {d_k: 64,", "with: {d_kk: 64,", "Property d_kk is not allowed."),
        ("with: {d_k: 64,", "with: {d_k: 64000,", "Value is above the maximum of 4096."),
        ("above: 9", "abov: 9", "Property abov is not allowed."),
    ],
)
def test_a_mistake_is_underlined(
    editor: YamlServer, folder: Path, right: str, wrong: str, told: str
) -> None:
    whole = sound(folder)
    spoilt = whole.replace(right, wrong, 1)
    assert spoilt != whole
    file = write(folder, "spoilt.yaml", spoilt)
    found = editor.problems(file)
    lines = zip(whole.splitlines(), spoilt.splitlines(), strict=True)
    line = 2 + [one != other for one, other in lines].index(True)  # below the editor's own line
    assert any(at == line and told in message for at, message in found), found


def test_a_field_of_another_kind_is_underlined(editor: YamlServer, folder: Path) -> None:
    file = write(folder, "open.yaml", sound(folder).replace("kind: single", "kind: open"))
    line = place(file, "    choices:")[0]
    assert (line, "Property choices is not allowed.") in editor.problems(file)


def test_a_mistyped_kind_is_all_that_is_told(editor: YamlServer, folder: Path) -> None:
    file = write(folder, "kind.yaml", sound(folder).replace("kind: single", "kind: singel"))
    assert len(editor.problems(file)) == 1


# --- and none where there is no mistake ----------------------------------------------


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: str(file.relative_to(shipped_banks())))
def test_a_shipped_file_has_no_squiggle(editor: YamlServer, folder: Path, file: Path) -> None:
    subject = {"bank.yaml": "bank", "exercise.yaml": "exercise"}.get(file.name, "question")
    line = f"# yaml-language-server: $schema={folder / subject}.json\n"
    assert editor.problems(file, line + file.read_text("utf-8")) == []


def test_what_is_begun_has_no_squiggle(editor: YamlServer, tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    files = list(new_bank(bank).files)
    for kind in kinds():
        files += new_question(bank / "kinds" / f"{kind}.yaml", kind).files
    files.append(new_exercise(bank / "exercises" / "scores").files[0])
    for file in files:
        assert editor.problems(file) == [], file
    text = files[1].read_text("utf-8").replace("prompt:", "promt:", 1)
    assert editor.problems(files[1], text) != []  # its own line leads to the schema
