"""A test with a slip of its own."""

from quizapp.grader.testing import draw, named


@named(en="the result is twice x", zh="结果是 x 的两倍")
def test_twice(submission):
    submission(draw(0, 5))
    raise LookupError("a slip in the test itself")
