import torch


def row_softmax(x):
    raise NotImplementedError
