def row_softmax(x):
    return x.softmax(0)
