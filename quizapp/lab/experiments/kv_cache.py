"""A KV cache changes the cost of decoding, not its result, if mask and positions are right.

    prefill: the prompt's P tokens at once, causal; K and V of every layer are kept
    decode:  one token: its q against all K so far; its own k and v are appended
    recompute: for every new token, all tokens before it again

Tokens are given, not sampled: inputs (D, P + T, d) with entries i.i.d. N(0,1), D draws, T
new tokens, d = heads · d_k; L layers of attention with residuals, weights i.i.d. N(0, 1/d),
untrained, no feed-forward layers. Multiply-adds are counted as they are made, bytes read off
the tensors. On purpose wrong: no causal mask in prefill, wrong positions for new tokens, a
cache stored in half precision.
Pope et al. 2022, "Efficiently Scaling Transformer Inference", section 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    UnfitError,
    Value,
    both,
    param,
)
from quizapp.lab.maths import kv_cache as kv
from quizapp.lab.maths import rows
from quizapp.lab.maths.kv_cache import Encoding, Position
from quizapp.lab.pictures import kv_cache as pictures
from quizapp.lab.wording import kv_cache as wording

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "decoding from a KV cache gives the same outputs at a fraction of the multiply-adds",
    "用 KV 缓存解码，输出相同，乘加次数只有一小部分",
)
#: What one run may multiply in all, and how many weights or inputs it may hold.
MOST_PRODUCTS, MOST_ENTRIES = 4e9, 4_000_000
#: What a softmax costs for each score, in multiply-adds of the same time.
EXP = 30
#: A relative error below this is rounding, and has no second way.
RESOLVED = {"float32": 2e-3, "float64": 1e-9}


class Params(BaseParams):
    """The stack, the tokens, and what goes wrong."""

    layers: int = param(2, low=1, high=6, en="attention layers", zh="注意力层数")
    heads: int = param(4, low=1, high=16, step="double", en="heads", zh="头数")
    d_k: int = param(16, low=2, high=128, step="double", en="width of one head", zh="单个头的维度")
    prompt: int = param(
        32, low=1, high=512, step="double", en="tokens of the prompt", zh="提示词元数"
    )
    new_tokens: int = param(
        16, low=1, high=128, step="double", en="tokens decoded after it", zh="之后解码的词元数"
    )
    prefill_mask: Literal["causal", "none"] = param(
        "causal", en="mask while the prompt is read", zh="预填充时的掩码"
    )
    position: Position = param("right", en="positions given to tokens", zh="赋给词元的位置")
    encoding: Encoding = param("rope", en="how positions enter", zh="位置如何进入模型")
    stored: Literal["same", "bfloat16", "float16"] = param(
        "same", en="number format of the cache", zh="缓存的数值格式"
    )
    draws: int = param(8, low=2, high=64, step="double", en="independent draws", zh="独立抽样次数")
    dtype: Literal["float32", "float64"] = param("float32", en="number format", zh="数值格式")

    @property
    def width(self) -> int:
        """Width of the model."""
        return self.heads * self.d_k

    @property
    def total(self) -> int:
        """Tokens in all."""
        return self.prompt + self.new_tokens

    @model_validator(mode="after")
    def _fits(self) -> Params:
        rows.refuse_odd(self.d_k)
        work = self.draws * sum(
            kv.products(n, n, self.layers, self.width) + EXP * self.layers * self.heads * n * n
            for n in range(self.prompt + 1, self.total + 1)
        )
        if work > MOST_PRODUCTS:
            raise UnfitError(
                f"recomputing costs about {work:.2g} multiply-adds, more than {MOST_PRODUCTS:.0e}: "
                "lower new_tokens, prompt, layers, heads, d_k or draws",
                f"重新计算约需 {work:.2g} 次乘加，超过 {MOST_PRODUCTS:.0e}："
                "请调小 new_tokens、prompt、layers、heads、d_k 或 draws",
            )
        for size, what in (
            (self.draws * self.heads * self.total**2, "heads × tokens²"),
            (self.draws * self.total * self.width, "heads × d_k × tokens"),
        ):
            rows.refuse_above(f"draws × {what}", size, MOST_ENTRIES)
        return self


def memory(params: Params) -> int:
    """Bytes at the peak, as measured: four weights a layer, held once more by the cross-check."""
    scores, entries = params.draws * params.heads * params.total**2, params.draws * params.total
    return 2**25 + 48 * params.layers * (params.width**2 + entries * params.width) + 16 * scores


METRICS = wording.METRICS
PLOTS = ("products_by_step", "error_by_step")


def run(params: Params, ctx: Context) -> Run:
    """Prefill and decode from the cache; then one pass over all; then every step again."""
    x, layers = _inputs(params, ctx)
    stack, caches = _stack(params, layers), _caches(params, x)
    outputs, by_step, costs = _cached(params, ctx, stack, caches, x)
    metrics: dict[str, Measured] = {**costs, **_held(params, caches)}
    whole_caches = _caches(params.model_copy(update={"stored": "same"}), x)
    whole = _stack(params, layers).run(ctx, x, _positions(params, "right"), whole_caches)
    rms = outputs[:, params.prompt :].square().mean((-2, -1)).sqrt()
    metrics |= {
        "prompt_error": _relative(outputs[:, : params.prompt], whole[:, : params.prompt]),
        "output_rms": rows.over_draws(rms.cpu().double()),
        **_by_layer(caches, whole_caches),
    }
    yield ctx.report(metrics=metrics, progress=0.3)
    again, by_step_again = _recomputed(params, ctx, layers, x)
    new = outputs[:, params.prompt :]
    metrics |= {
        "error": _relative(new, again),
        "max_error": rows.over_draws((new - again).abs().amax((-2, -1)).cpu().double()),
        "first_error": _relative(new[:, :1], again[:, :1]),
        "recompute_products": sum(by_step_again),
        "products_ratio": sum(by_step_again) / (costs["prefill_products"] + sum(by_step)),
        "last_step_ratio": by_step_again[-1] / by_step[-1],
    }
    errors = (new - again).square().mean((0, 2)).sqrt() / again.square().mean((0, 2)).sqrt()
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(params.new_tokens, metrics),
        tables=[pictures.table(costs["prefill_products"], by_step, by_step_again)],
        curves=[pictures.products(by_step, by_step_again), pictures.errors(errors.tolist())],
    )


def _streams(params: Params) -> list[tuple[str, ...]]:
    """The names of each layer's four weights."""
    return [tuple(f"w{name}.{i}" for name in "qkvo") for i in range(params.layers)]


def _inputs(params: Params, ctx: Context) -> tuple[torch.Tensor, list[kv.Layer]]:
    """Tokens (D, P + T, d) and the weights of every layer."""
    d, scale = params.width, kv.weight_scale(params.width)
    x = rows.drawn(ctx, "x", range(params.draws), params.total, d)
    layers = []
    for names in _streams(params):
        ctx.checkpoint()
        q, k, v, o = (ctx.cast(ctx.normal(n, d, d), params.dtype) * scale for n in names)
        layers.append(kv.Layer(q, k, v, o))
    return ctx.cast(x, params.dtype), layers


def _stack(params: Params, layers: list[kv.Layer]) -> kv.Stack:
    return kv.Stack(layers, params.heads, params.encoding)


def _positions(params: Params, position: Position) -> torch.Tensor:
    return kv.numbered(params.prompt, params.new_tokens, position)


def _caches(params: Params, x: torch.Tensor) -> list[kv.Cache]:
    """An empty cache for each layer."""
    import torch

    dtype = x.dtype if params.stored == "same" else getattr(torch, params.stored)
    shape = (params.draws, params.heads, params.total, params.d_k)
    rooms = [[x.new_zeros(shape, dtype=dtype) for _ in "kv"] for _ in range(params.layers)]
    return [kv.Cache(k, v) for k, v in rooms]


def _cached(
    params: Params, ctx: Context, stack: kv.Stack, caches: list[kv.Cache], x: torch.Tensor
) -> tuple[torch.Tensor, list[float], dict[str, float]]:
    """Outputs of all tokens (D, P + T, d), multiply-adds of each step, and what they add up to."""
    import torch

    at, P = _positions(params, params.position), params.prompt
    outputs = [stack.run(ctx, x[:, :P], at[:P], caches, causal=params.prefill_mask == "causal")]
    work = stack.work
    prefill, prefill_bytes = work.products, work.bytes
    by_step, attention = [], []
    for t in range(P, params.total):
        before, attended = work.products, work.attention
        outputs.append(stack.run(ctx, x[:, t : t + 1], at[t : t + 1], caches))
        by_step.append(work.products - before)
        attention.append(work.attention - attended)
    return (
        torch.cat(outputs, 1),
        by_step,
        {
            "prefill_products": prefill,
            "decode_products": sum(by_step),
            "step_growth": by_step[-1] / by_step[0],
            "attention_growth": attention[-1] / attention[0],
            "prefill_intensity": prefill / prefill_bytes,
            "decode_intensity": sum(by_step) / (work.bytes - prefill_bytes),
        },
    )


def _held(params: Params, caches: list[kv.Cache]) -> dict[str, Measured]:
    """What the cache weighs after the last token, for one sequence."""
    held = sum(cache.bytes for cache in caches) / params.draws
    size = caches[0].k.element_size()
    return {
        "cache_bytes": held,
        "bytes_per_token": held / caches[0].length,
        "cache_growth": caches[0].length / params.prompt,
        "weights_bytes": float(size * params.layers * params.heads * params.total**2),
    }


def _by_layer(caches: list[kv.Cache], right: list[kv.Cache]) -> dict[str, Measured]:
    """How far the values of each layer's cache are from those of one right pass."""
    pairs = [
        _relative(a.v.to(b.v.dtype).flatten(1, 2), b.v.flatten(1, 2))
        for a, b in zip(caches, right, strict=True)
    ]
    return {"cache_error_by_layer": ([p[0] for p in pairs], [p[1] for p in pairs])}


def _recomputed(
    params: Params, ctx: Context, layers: list[kv.Layer], x: torch.Tensor
) -> tuple[torch.Tensor, list[float]]:
    """Outputs of the new tokens (D, T, d), each from all tokens before it anew, and the cost."""
    import torch

    at = _positions(params, "right")
    outputs, by_step = [], []
    for n in range(params.prompt + 1, params.total + 1):
        stack = _stack(params, layers)
        outputs.append(stack.run(ctx, x[:, :n], at[:n])[:, -1:])
        by_step.append(stack.work.products)
    return torch.cat(outputs, 1), by_step


def _relative(a: torch.Tensor, b: torch.Tensor) -> rows.Sampled:
    """rms of a − b over that of b for each draw, mean and standard error: (D, …, d) each."""
    a, b = a.cpu().double(), b.cpu().double()
    squares = [x.square().mean((-2, -1)) for x in (a - b, b)]
    return rows.over_draws((squares[0] / squares[1]).sqrt())


METHOD = both(
    "float64, no cache and no steps: one pass whose mask and positions say what each step sees",
    "float64，无缓存、不分步：一次计算，用掩码与位置表示每一步所见",
)


def check(params: Params, ctx: Context) -> Reference:
    """Both decodings as single passes; products and bytes by formulas."""
    from quizapp.lab.second_way import kv_cache as second
    from quizapp.lab.second_way.odds import drawn64

    d, scale, P = params.width, kv.weight_scale(params.width), params.prompt
    x = drawn64(ctx, "x", range(params.draws), params.total, d)
    weights = [[ctx.normal64(n, d, d) * scale for n in names] for names in _streams(params)]
    sizes = (P, params.new_tokens, params.heads, params.encoding)
    shape = second.Shape(*sizes, params.position, params.prefill_mask)
    intended = second.Shape(*sizes, "right", "causal")
    right, right_v = second.one_pass(intended, x, weights, ctx.checkpoint)
    found, v = second.one_pass(shape, x, weights, ctx.checkpoint)
    single = ctx.device == "mps" or params.dtype == "float32"
    stored = 2 if params.stored != "same" else 4 if single else 8
    reference: dict[str, Value] = {
        **second.costs(shape, params.layers, params.d_k),
        "cache_bytes": 2.0 * params.layers * params.total * d * stored,
        "bytes_per_token": 2.0 * params.layers * d * stored,
        "cache_growth": params.total / P,
    }
    if params.stored != "same":
        return reference  # rounding to a half format has no second way here
    errors = {
        "error": second.relative(found[:, P:], right[:, P:]),
        "first_error": second.relative(found[:, P : P + 1], right[:, P : P + 1]),
        "prompt_error": second.relative(found[:, :P], right[:, :P]),
    }
    resolved = RESOLVED["float32" if single else "float64"]
    reference |= {name: value for name, value in errors.items() if value > resolved}
    if max(by_layer := [second.relative(a, b) for a, b in zip(v, right_v, strict=True)]) > resolved:
        reference["cache_error_by_layer"] = by_layer
    return reference | {"output_rms": second.rms(found[:, P:])}
