from quizapp.grader.testing import named


@named(en="rows sum to 1", zh="每行之和为 1")
def test_rows(submission):
    assert submission is not None
