"""Hidden tests of row_softmax."""

from quizapp.grader.testing import agree, draw, named


@named(en="it is the formula", zh="结果与公式一致")
def test_formula(submission):
    x = draw(1, 3, 5)
    agree(submission(x), x.double().softmax(-1), "weights", ("B", "N"))


@named(en="one column gives ones [/]", zh="只有一列时全为 1")
def test_one_column(submission):
    x = draw(2, 4, 1)
    agree(submission(x), x.double().softmax(-1), "weights", ("B", "N"))
