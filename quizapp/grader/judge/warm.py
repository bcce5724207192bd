"""Everything a first grade would load, loaded before it: pytest's and torch's late imports."""

from __future__ import annotations


def up() -> None:
    """Run one call, one comparison and one backward pass; import pytest and what it imports."""
    import torch

    from quizapp.grader.judge import diagnosis, grading, running  # noqa: F401
    from quizapp.grader.testing import Mismatch, agree, draw

    q = draw(0, 2, 3, 4).requires_grad_()
    torch.softmax(q @ q.mT, -1).sum().backward()  # type: ignore[no-untyped-call]
    torch.autograd.grad([q * 2], [q], [torch.ones_like(q)], allow_unused=True)
    try:
        agree(q.detach(), q.detach().double() + 1, axes=("B", "S", "d"))
    except Mismatch as found:
        str(found)
