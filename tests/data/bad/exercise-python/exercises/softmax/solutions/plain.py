def softmax(x, mask=None)
    return x
