import torch


def row_softmax(x):
    return torch.softmax(x, -1)
