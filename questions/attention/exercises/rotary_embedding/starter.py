import math

import torch


def rotary_embedding(x, positions, base=10000.0):
    """Turn each pair of columns of x by an angle that grows with the position.

    x          (B, H, S, d)   queries or keys; pair j is columns j and j + d/2
    positions  (B, S)         int64, the same for all heads

    Pair j at position p turns by p·base^(-2j/d). Returns x turned, (B, H, S, d).
    """
    raise NotImplementedError
