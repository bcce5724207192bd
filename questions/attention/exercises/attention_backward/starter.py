import math

import torch


def attention_backward(Q, K, V, dO, mask=None):
    """Gradients of softmax(QKᵀ/√d_k)·V, by hand.

    Q     (B, H, S_q, d_k)
    K     (B, H, S_k, d_k)
    V     (B, H, S_k, d_v)
    dO    (B, H, S_q, d_v)   the loss's gradient at the output
    mask  broadcasts to (B, H, S_q, S_k); 0 or False hides

    Returns dQ, dK and dV, each of the shape of Q, K and V.
    """
    raise NotImplementedError
