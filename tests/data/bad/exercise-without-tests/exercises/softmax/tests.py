def rows_sum_to_1(submission):
    assert submission is not None
