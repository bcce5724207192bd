"""Which question comes next."""

from helpers import entry, library, trial

from quizapp.session.sitting import CHAIN, Sitting


def sitting(*names: str, opening: int = 0) -> Sitting:
    made = Sitting("daily", library(), [entry(name) for name in names], opening)
    made.start()
    return made


def test_a_right_answer_leads_deeper_and_a_wrong_one_elsewhere() -> None:
    made = sitting("spread")
    right = made.after(trial("spread", "eight"))
    assert right.entry is not None
    assert (right.kind, right.entry.question.id) == ("followup", "number")
    wrong = made.after(trial("spread", "one"))
    assert wrong.entry is not None
    assert (wrong.kind, wrong.entry.question.id) == ("followup", "change")


def test_the_opening_asks_no_followups() -> None:
    made = sitting("spread", "true-ones", opening=1)
    assert made.after(trial("spread", "one")).kind == "next"
    assert made.advance(trial("spread", "one")) is entry("true-ones")
    assert made.position == 2


def test_a_chain_ends_where_it_has_no_more() -> None:
    made = sitting("spread")
    assert made.advance(trial("spread", "one")) is entry("change")
    assert made.after(trial("change", "half")).kind == "finish"
    assert made.advance(trial("change", "half")) is None
    assert made.current is None


def test_no_question_is_asked_twice_and_no_chain_is_endless() -> None:
    made = sitting("spread")
    made.asked += ["small/change", "small/number"]
    assert made.after(trial("spread", "one")).kind == "finish"
    other = sitting("spread")
    other._chain = CHAIN
    assert other.after(trial("spread", "one")).kind == "finish"


def test_a_wrong_answer_goes_on_where_the_question_behind_it_was_asked_before() -> None:
    made = sitting("spread")
    made.asked.append("small/change")
    coming = made.after(trial("spread", "one"))
    assert coming.entry is not None
    assert (coming.kind, coming.entry.question.id) == ("followup", "number")
    made.asked[-1] = "small/number"
    assert made.after(trial("spread", "eight")).kind == "finish"  # never back after a right one


def test_position_total_and_minutes_follow() -> None:
    made = sitting("spread", "aloud")
    assert (made.position, made.total, made.minutes) == (1, 2, 3)
    made.advance(trial("spread", "one"))  # a follow-up nobody had counted
    assert (made.position, made.total) == (2, 2)
    made.more(entry("number"))
    assert (made.position, made.total) == (3, 3)
