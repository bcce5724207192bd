"""Right answers written in ways that no shipped solution is: an exercise must take them all."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from local_grading import grade, hidden_tests

from quizapp.bank import ExerciseFolder, load_banks
from quizapp.session.paths import shipped_banks

FOLDERS = {
    name: folder
    for loaded in load_banks(shipped_banks())
    if loaded.bank is not None
    for name, folder in loaded.bank.exercises.items()
}

SOFTMAX = {
    "float64 throughout": """
        z = x.double()
        m = z.max(dim=dim, keepdim=True).values
        m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
        e = torch.exp(z - m)
        s = e.sum(dim, keepdim=True)
        return (e / (s + (s == 0))).to(x.dtype)
    """,
    "a small number in the sum": """
        z = x if x.dtype == torch.float64 else x.float()
        m = z.amax(dim, keepdim=True).clamp(min=torch.finfo(z.dtype).min)
        e = torch.exp(z - m)
        return (e / (e.sum(dim, keepdim=True) + 1e-12)).type_as(x)
    """,
    "row by row": """
        y = x.movedim(dim, -1)
        rows = []
        for r in y.reshape(-1, y.shape[-1]):
            if (r == float("-inf")).all():
                rows.append(torch.zeros_like(r))
                continue
            e = r.to(torch.promote_types(r.dtype, torch.float32))
            e = (e - e.max()).exp()
            rows.append((e / e.sum()).to(x.dtype))
        return torch.stack(rows).reshape(y.shape).movedim(-1, dim)
    """,
}

_MASKS = """
        S_q, S_k = Q.shape[2], K.shape[2]
        s = Q @ K.mT / math.sqrt(Q.shape[3])
        mask = torch.ones_like(s, dtype=torch.bool)
        if key_mask is not None:
            mask = mask & key_mask.view(-1, 1, 1, S_k)
        if causal:
            mask = mask & torch.tril(torch.ones(S_q, S_k), diagonal=S_k - S_q).bool()
"""
MASKED = {
    "NaN replaced after masked_fill, whose backward stops it": f"""{_MASKS}
        w = torch.nan_to_num(F.softmax(s.masked_fill(~mask, float("-inf")), -1))
        return w @ V, w
    """,
    "rows multiplied": f"""{_MASKS}
        w = F.softmax(s.masked_fill(~mask, torch.finfo(s.dtype).min), -1)
        w = w * mask.any(-1, keepdim=True)
        return w @ V, w
    """,
    "minus 1e4, added": f"""{_MASKS}
        w = F.softmax(s + (~mask).to(s.dtype) * -1e4, -1) * mask
        return w @ V, w
    """,
    "where twice": f"""{_MASKS}
        w = torch.where(mask, F.softmax(torch.where(mask, s, -torch.inf), -1), 0.0)
        return w @ V, w
    """,
}

_SPLIT = """
        B, S, C = X.shape
        d = C // n_heads
        q, k, v = (
            F.linear(X, W.T).reshape(B, S, n_heads, d).permute(0, 2, 1, 3) for W in (W_q, W_k, W_v)
        )
        s = q @ k.transpose(-1, -2) * d**-0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask[None]
            s = s.masked_fill((mask == 0)[:, None], -1e9)
        o = F.softmax(s, dim=-1) @ v
"""
HEADS = {
    "contiguous view": f"""{_SPLIT}
        return o.transpose(1, 2).contiguous().view(B, S, C) @ W_o
    """,
    "joined by W_o": f"""{_SPLIT}
        return torch.einsum("bhsd,hdc->bsc", o, W_o.reshape(n_heads, d, C))
    """,
}

SIGNATURES = {
    "stable_softmax": ("x, dim", SOFTMAX),
    "masked_attention": ("Q, K, V, key_mask=None, causal=False", MASKED),
    "multi_head_attention": ("X, W_q, W_k, W_v, W_o, n_heads, mask=None", HEADS),
}
CASES = [
    pytest.param(FOLDERS[name], f"def {name}({parameters}):{body}", id=f"{name}: {what}")
    for name, (parameters, bodies) in SIGNATURES.items()
    for what, body in bodies.items()
]


@pytest.mark.parametrize(("folder", "source"), CASES)
def test_other_right_ways_pass(folder: ExerciseFolder, source: str, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    path = tmp_path / "submission.py"
    path.write_text(f"import math\nimport torch\nimport torch.nn.functional as F\n{source}\n")
    outcomes = list(grade(folder, path, hidden_tests(folder)))
    assert outcomes
    assert {one.test: one.error for one in outcomes if one.error is not None} == {}
