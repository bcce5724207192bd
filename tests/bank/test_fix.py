"""`check --fix`: what is mended, and that every other character of the file stays."""

from __future__ import annotations

import difflib
import shutil
from pathlib import Path

import pytest

from quizapp.bank import Diagnostic, in_order, load_bank, read_questions
from quizapp.bank.check_texts import check_texts
from quizapp.bank.diagnostics import Edit
from quizapp.bank.fix import edited, mend
from quizapp.errors import MachineError
from quizapp.report import Catalogue

BAD = Path(__file__).parent.parent / "data" / "bad"

#: Bad file → the lines that mending puts in place of others.
MENDED = {
    "backslash": [r"    summary: 'It is \sqrt{d_k}.'"],
    "backtick-in-braces": ["    summary:", '      en: "`var` adds up"', "      zh: 方差相加"],
    "begins-with-brace": ['    summary: "{score_std:.2f} is the spread."'],
    "begins-with-bracket": ['    summary: "[B, H, T] is the shape of q."'],
    "begins-with-question-mark": ['    summary: "? Which variance"'],
    "brace-in-braces": [
        "    summary:", '      en: "{score_std} is the spread"', "      zh: 标准差",
    ],
    "claim-verdict": ['    claim: "[64]"'],
    "colon-in-braces": ["    summary:", '      en: "Variances: they add up"', "      zh: 方差相加"],
    "colon-in-entry": ['      - "Look: it is a sum."'],
    "colon-in-text": ['    summary: "Variances: they add up."'],
    "comma-in-braces": ["    summary:", "      en: softmax(q, k)", "      zh: 好"],
    "comma-in-list": ['    hints: ["softmax(q, k) sums to one", look at q]'],
    "comma-in-source": [
        '    sources: [{title: "Attention, is all you need", where: 3.2.1}]',
    ],
    "full-width-colon": ["    summary: Variances add up."],
    "full-width-colons": ["      en: Variances add up.", "      zh: 方差相加。"],
    "full-width-in-braces": ["    summary:", "      en: Variances add up", "      zh: 方差相加"],
    "full-width-only-in-braces": [
        "    summary:", "      en: Variances add up", "      zh: 方差相加",
    ],
    "list-for-text": ['    summary: "[Variances, add up]"'],
    "lost-comment": ['    summary: "Variances of the terms add up; see #1 and #2."'],
    "lost-comment-in-braces": [
        "    summary:", '      en: "Variances of heads #1 and #2"', "      zh: 第一、二个头的方差",
    ],
    "lost-comment-inside": ["    summary: >-", "      Variances add up # of the terms"],
    "missing-id": ["  - id: spread-scores", "    kind: numeric"],
    "no-space-after-colon": ["    summary: Variances add up."],
    "only-a-placeholder": ['    summary: "{score_std}"'],
    "read-as-list": ['    summary: {en: "[B, H, T]", zh: 形状}'],
    "several-syntax": ['    summary: "Variances: they add up."', '    summary: "@x"'],
    "starts-with-backtick": ['    summary: "`var` adds up."'],
    "text-after-quote": ["    summary: '\"Variances\" add up.'"],
}  # fmt: skip


def findings(path: Path) -> tuple[Diagnostic, ...]:
    return in_order(read_questions(path).diagnostics)


def mend_all(path: Path) -> int:
    """Mend until nothing is left to mend; how many findings were."""
    count = 0
    while made := mend(path, findings(path)):
        count += len(made)
        assert count < 20
    return count


@pytest.mark.parametrize("name", sorted(path.stem for path in BAD.glob("*.yaml")))
def test_only_the_lines_concerned_change(name: str, tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    shutil.copy(BAD / f"{name}.yaml", path)
    before = path.read_bytes()
    count = mend_all(path)
    if name not in MENDED:
        assert count == 0
        assert path.read_bytes() == before
        return
    old, new = before.decode().splitlines(), path.read_text(encoding="utf-8").splitlines()
    added = [line[2:] for line in difflib.ndiff(old, new) if line.startswith("+ ")]
    assert added == MENDED[name]
    assert len(findings(path)) < count + len(findings(BAD / f"{name}.yaml"))


@pytest.mark.parametrize("name", sorted(set(MENDED) - {"claim-verdict", "several-syntax"}))
def test_a_mended_file_is_sound(name: str, tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    shutil.copy(BAD / f"{name}.yaml", path)
    mend_all(path)
    if name != "full-width-in-braces":
        assert [d.render() for d in findings(path)] == []


def test_line_ends_a_byte_order_mark_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    text = (BAD / "comma-in-braces.yaml").read_text(encoding="utf-8")
    text = text.replace("    say:", "    # why it adds up  \n    say:  ").replace("\n", "\r\n")
    path.write_bytes("\ufeff".encode() + text.encode())
    assert mend_all(path) == 1
    mended = path.read_bytes().decode()
    assert mended.startswith("\ufeffformat")
    assert mended.count("\n") == mended.count("\r\n") == text.count("\n") + 2
    assert "\r\n    # why it adds up  \r\n    say:  " in mended
    assert findings(path) == ()


def test_crlf_and_a_byte_order_mark_are_no_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    sound = (BAD / "early-placeholder" / "q.yaml").read_bytes()
    plain = read_questions(BAD / "early-placeholder" / "q.yaml").questions
    path.write_bytes("\ufeff".encode() + sound.replace(b"\n", b"\r\n"))
    result = read_questions(path)
    assert result.diagnostics == ()
    assert dict(result.questions) == dict(plain)


def test_full_width_digits_become_half_width(tmp_path: Path, catalogue: Catalogue) -> None:
    folder = tmp_path / "bank"
    shutil.copytree(BAD / "full-width-digits", folder)
    bank = load_bank(folder).bank
    assert bank is not None
    found = list(check_texts(bank, catalogue))
    assert {one.code for one in found} == {"QB044"}
    path = Path(found[0].path)
    mended = len(mend(path, [one for one in found if one.path == str(path)]))
    assert mended == len(found)
    bank = load_bank(folder).bank
    assert bank is not None
    assert list(check_texts(bank, catalogue)) == []


def test_ids_are_made_from_english_words_and_differ(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    bank = (BAD / "early-placeholder" / "q.yaml").read_text(encoding="utf-8")
    text = bank.replace("      - id: unit\n        correct", "      - correct")
    text = text.replace("      - id: none\n        text", "      - text")
    path.write_text(text, encoding="utf-8")
    assert {one.code for one in findings(path)} == {"QB022"}
    mend_all(path)
    (question,) = read_questions(path).questions.values()
    names = [choice.id for choice in getattr(question, "choices")]  # noqa: B009 - of any kind
    assert len(set(names)) == 2
    assert all(name.isascii() and len(name) > 3 for name in names)


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    shutil.copy(BAD / "colon-in-text.yaml", path)
    found = findings(path)
    path.write_text("# new\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert mend(path, found) == ()


def test_a_file_that_cannot_be_written_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "q.yaml"
    shutil.copy(BAD / "colon-in-text.yaml", path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("quizapp.bank.fix.os.fsync", full)
    with pytest.raises(MachineError, match="no space left"):
        mend(path, findings(path))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_rights_stay_and_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "real.txt"
    shutil.copy(BAD / "colon-in-text.yaml", target)
    target.chmod(0o640)
    link = tmp_path / "q.yaml"
    link.symlink_to(target)
    assert mend_all(link) == 1
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640


def test_edits_are_made_from_the_front_whatever_their_order() -> None:
    assert edited("abcdef", [Edit(4, 5, "X"), Edit(0, 1, ""), Edit(2, 2, "--")]) == "b--cdXf"
