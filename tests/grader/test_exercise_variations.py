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

CROSS = {
    "one query after another, a finite fill": """
        B, S_q, C = X.shape
        def cut(x):
            return x.reshape(B, -1, n_heads, x.shape[-1] // n_heads).permute(0, 2, 1, 3)
        k, v = cut(F.linear(memory, W_k.T)), cut(F.linear(memory, W_v.T))
        outputs, rows = [], []
        for t in range(S_q):
            q = cut(X[:, t : t + 1] @ W_q)
            s = (q * k).sum(-1) / math.sqrt(q.size(-1))
            if memory_mask is not None:
                s = s + (1.0 - memory_mask.to(s.dtype))[:, None] * -1e9
            rows.append(F.softmax(s, dim=-1))
            outputs.append((rows[-1][..., None] * v).sum(2).reshape(B, C))
        return torch.stack(outputs, 1) @ W_o, torch.stack(rows, 2)
    """,
    "padding cut out, item by item": """
        if memory_mask is None:
            memory_mask = torch.ones(memory.shape[:2])
        outputs, maps = [], []
        for x, y, seen in zip(X, memory, memory_mask != 0):
            q, k, v = (
                z.view(len(z), n_heads, -1).transpose(0, 1)
                for z in (x @ W_q, y[seen] @ W_k, y[seen] @ W_v)
            )
            w = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), -1)
            full = w.new_zeros(n_heads, len(x), len(y))
            full[:, :, seen] = w
            maps.append(full)
            outputs.append(torch.cat(list(w @ v), -1) @ W_o)
        return torch.stack(outputs), torch.stack(maps)
    """,
}

ONLINE = {
    "one key after another": """
        f = torch.float64 if scores.dtype == torch.float64 else torch.float32
        if m is None:
            m = scores.new_full(scores.shape[:3], -math.inf, dtype=f)
            l, output = torch.zeros_like(m), scores.new_zeros(*m.shape, V.shape[-1], dtype=f)
        acc = output * l[..., None]
        for s, v in zip(scores.to(f).unbind(-1), V.to(f).unbind(-2)):
            new = torch.maximum(m, s)
            safe = new.masked_fill(new == -math.inf, 0.0)
            a, b = torch.exp(m - safe), torch.exp(s - safe)
            l, acc, m = a * l + b, a[..., None] * acc + b[..., None] * v[:, :, None], new
        return [acc / l.clamp(min=1.0)[..., None], m, l]
    """,
    "a finite floor, the maximum detached": """
        f = torch.promote_types(scores.dtype, torch.float32)
        s, V = scores.to(f), V.to(f)
        top = s.detach().amax(-1)
        new = top if m is None else torch.maximum(m.detach(), top)
        safe = new.clamp(min=torch.finfo(f).min / 2)
        p = torch.exp(s - safe.unsqueeze(-1))
        total, acc = p.sum(-1), p @ V
        if m is not None:
            old = l * torch.exp(m.detach() - safe)
            total, acc = total + old, acc + old.unsqueeze(-1) * output
        return acc / (total + (total == 0)).unsqueeze(-1), new, total
    """,
}

FLASH = {
    "each head by itself, a mask added in every tile": """
        f = torch.float64 if Q.dtype == torch.float64 else torch.float32
        B, H, S_q, d = Q.shape
        outputs, sums = [], []
        for q, k, v in zip(*(x.flatten(0, 1).to(f) for x in (Q, K, V))):
            for i in range(0, S_q, block_size):
                a = q[i : i + block_size] / math.sqrt(d)
                m = torch.full((len(a), 1), -math.inf, dtype=f)
                l, acc = torch.zeros_like(m), torch.zeros(len(a), v.shape[1], dtype=f)
                for j in range(0, len(k), block_size):
                    if causal and j > i + len(a) - 1:
                        continue
                    s = a @ k[j : j + block_size].T
                    if causal:
                        s = s + torch.full_like(s, -math.inf).triu(i - j + 1)
                    new = torch.max(m, s.max(dim=1, keepdim=True)[0])
                    p, c = torch.exp(s - new), torch.exp(m - new)
                    l, m = c * l + p.sum(1, keepdim=True), new
                    acc = c * acc + p @ v[j : j + block_size]
                outputs.append(acc / l)
                sums.append((m + l.log())[:, 0])
        output = torch.cat(outputs).view(B, H, S_q, -1)
        return output.to(Q.dtype), torch.cat(sums).view(B, H, S_q)
    """,
    "all queries at once, keys padded and masked": """
        f = torch.promote_types(Q.dtype, torch.float32)
        S_q, S_k = Q.shape[2], K.shape[2]
        m = torch.full(Q.shape[:3], -math.inf, dtype=f)
        l, acc = torch.zeros_like(m), torch.zeros(*m.shape, V.shape[-1], dtype=f)
        padding = -S_k % block_size
        K, V = F.pad(K, (0, 0, 0, padding)), F.pad(V, (0, 0, 0, padding))
        for j in range(0, S_k + padding, block_size):
            k, v = (x[:, :, j : j + block_size].to(f) for x in (K, V))
            s = torch.einsum("bhqd,bhkd->bhqk", Q.to(f), k) * Q.shape[-1] ** -0.5
            columns = torch.arange(j, j + block_size)
            hidden = (columns >= S_k).expand(S_q, -1)
            if causal:
                hidden = hidden | (columns > torch.arange(S_q)[:, None])
            s = s.masked_fill(hidden, -math.inf)
            new = torch.maximum(m, s.amax(-1)).detach()
            a, p = (m - new).exp(), (s - new[..., None]).exp()
            l, acc, m = l * a + p.sum(-1), acc * a[..., None] + p @ v, new
        return (acc / l[..., None]).to(Q.dtype), m + l.log()
    """,
    "written in place": """
        f = torch.promote_types(Q.dtype, torch.float32)
        output = torch.zeros(*Q.shape[:3], V.shape[-1], dtype=f)
        lse = torch.zeros(Q.shape[:3], dtype=f)
        for i in range(0, Q.shape[2], block_size):
            q = Q[:, :, i : i + block_size]
            m = torch.full((*q.shape[:3], 1), -1e30, dtype=f)
            l, o = torch.zeros_like(m), torch.zeros(*q.shape[:3], V.shape[-1], dtype=f)
            for j in range(0, K.shape[2], block_size):
                if causal and j > i:
                    break
                s = (q @ K[:, :, j : j + block_size].mT).to(f) / math.sqrt(Q.shape[-1])
                if causal:
                    rows = torch.arange(i, i + s.shape[2])[:, None]
                    s = torch.where(torch.arange(j, j + s.shape[3]) <= rows, s, -math.inf)
                new = torch.maximum(m, s.max(-1, keepdim=True).values)
                p, a = torch.exp(s - new), torch.exp(m - new)
                l *= a
                l += p.sum(-1, keepdim=True)
                o *= a
                o += p @ V[:, :, j : j + block_size].to(f)
                m = new
            output[:, :, i : i + block_size] = o / l
            lse[:, :, i : i + block_size] = (m + l.log())[..., 0]
        return output.to(Q.dtype), lse
    """,
}

SIGNATURES = {
    "cross_attention": ("X, memory, W_q, W_k, W_v, W_o, n_heads, memory_mask=None", CROSS),
    "online_softmax": ("scores, V, output=None, m=None, l=None", ONLINE),
    "flash_attention": ("Q, K, V, block_size, causal=False", FLASH),
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
