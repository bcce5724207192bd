"""Which runs meet an answer, and what happens when parameters change on the spot."""

from helpers import report, run_of_width, trial

from quizapp.session.trial import Planned


def test_one_run_serves_when_nothing_is_counterfactual() -> None:
    assert trial("spread", "one").plan() == (run_of_width(64),)


def test_a_counterfactual_keeps_what_it_does_not_change() -> None:
    wrong = trial("change", "half")
    assert wrong.mine == run_of_width(32)
    assert wrong.right == run_of_width(16)
    assert wrong.plan() == (run_of_width(32), run_of_width(16), run_of_width(64))


def test_a_right_answer_is_met_by_its_own_run() -> None:
    right = trial("change", "quarter")
    assert right.mine == right.right == run_of_width(16)
    assert right.plan() == (run_of_width(16), run_of_width(64))


def test_multi_meets_each_choice_that_was_wrong() -> None:
    beliefs = trial("true-ones", "four", "mean").beliefs()
    assert [(belief.choice.id, belief.ticked) for belief in beliefs] == [
        ("sixteen", False),
        ("mean", True),
    ]


def test_old_numbers_stay_until_every_new_run_has_some() -> None:
    playing = trial("change", "half")
    for planned in playing.plan():
        playing.take(planned, report({"score_std": 1.0}))
    playing.pending = {"seed": 7}
    fresh = playing.plan(playing.pending)
    playing.take(fresh[0], report({"score_std": 2.0}, seed=7))
    assert playing.overrides == {}
    for planned in fresh[1:]:
        playing.take(planned, report({"score_std": 2.0}, seed=7))
    assert playing.overrides == {"seed": 7}
    assert playing.pending is None


def test_the_verdict_comes_from_the_first_run_never_from_a_changed_one() -> None:
    numeric = trial("number", text="16", number=16.0)
    (planned,) = numeric.plan()
    numeric.take(planned, report({"score_std": 16.1}))
    assert numeric.outcome == "right"
    numeric.pending = {"d_k": 1024}
    (other,) = numeric.plan(numeric.pending)
    numeric.take(other, report({"score_std": 32.0}))
    assert numeric.overrides == {"d_k": 1024}
    assert numeric.outcome == "right"


def test_what_a_counterfactual_changed_stays_changed() -> None:
    playing = trial("change", "half")
    playing.overrides = {"d_k": 128, "pairs": 1000}
    assert playing.mine == Planned("score_variance", (("d_k", 32), ("pairs", 1000)))
    assert playing.main == Planned("score_variance", (("d_k", 128), ("pairs", 1000)))


def test_complete_means_that_every_run_has_ended() -> None:
    waiting = trial("change", "half")
    first, *others = waiting.plan()
    waiting.take(first, report({}, status="final"))
    assert not waiting.complete
    for planned in others:
        waiting.take(planned, report({}, status="partial"))
    assert not waiting.complete
    for planned in others:
        waiting.take(planned, report({}, status="failed"))
    assert waiting.complete
