def double(x):
    return 3 * x
