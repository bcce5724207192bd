"""Parameters as typed: what is taken, and what is refused in which words."""

import pytest

from quizapp.errors import UsageError
from quizapp.lab.catalogue import catalogue, describe, load, names
from quizapp.lab.params import parse, validate


def test_typed_settings_become_parameters() -> None:
    params = parse("score_variance", ["d_k=16", "mean = 1.5", "seed=7"])
    assert params.model_dump() == {
        "seed": 7,
        "d_k": 16,
        "mean": 1.5,
        "correlation": 0.0,
        "pairs": 100_000,
    }


def test_a_list_is_typed_with_commas() -> None:
    assert parse("softmax", ["logits=2,1,0.5"]).model_dump()["logits"] == (2.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("d_k=0", "d_k=0 is not possible\n  d_k takes a whole number from 1 to 4,096."),
        ("d_k=abc", "d_k=abc is not possible\n  d_k takes a whole number from 1 to 4,096."),
        ("d_k=1000000000", "d_k=1000000000 is not possible\n  d_k takes a whole number from 1"),
        ("d_k=1_0", "d_k=1_0 is not possible"),
        ("d_k=６４", "d_k=６４ is not possible"),
        ("d_k=6.5", "d_k=6.5 is not possible"),
        ("d_k", "d_k needs a value\n  d_k=64: d_k takes a whole number from 1 to 4,096."),
        ("d_k=", "d_k needs a value"),
        ("d_kk=3", "score_variance has no parameter 'd_kk'\n  Did you mean 'd_k'?"),
        ("mean=nan", "mean=nan is not possible\n  mean takes a number from -4 to 4."),
        ("mean=inf", "mean=inf is not possible"),
        ("seed=-1", "seed=-1 is not possible"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_allowed(setting: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse("score_variance", [setting])
    assert str(caught.value).startswith(message)


def test_an_unknown_experiment_is_refused_with_the_closest_name() -> None:
    with pytest.raises(UsageError, match="Did you mean 'score_variance'"):
        validate("score_varience", {})


def test_a_list_with_a_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(UsageError, match="logits takes"):
        parse("softmax", ["logits=nan,1"])


@pytest.mark.parametrize("name", names())
def test_every_experiment_describes_itself_in_both_languages(name: str) -> None:
    info = describe(name)
    texts = [info.claim, *(p.help for p in info.params.values())]
    texts += [text for m in info.metrics.values() for text in (m.label, m.meaning)]
    for text in texts:
        assert text.languages == {"en", "zh"}, text
    assert info.params["seed"].default == 0
    assert load(name).__doc__
    assert catalogue().experiments[name] is info
