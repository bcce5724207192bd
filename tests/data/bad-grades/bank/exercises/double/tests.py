"""Twice x, on seeded draws."""

from quizapp.grader.testing import agree, draw, named


@named(en="the result is twice x", zh="结果是 x 的两倍")
def test_twice(submission):
    x = draw(0, 5)
    agree(submission(x), 2 * x.double(), "twice", ("n",))
