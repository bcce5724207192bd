"""Hidden tests of rotary_embedding, against rotations by complex numbers and against laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import agree, draw, gradients_agree, named, strided, unchanged

# Sizes that differ, d/2 from all of them: an axis taken for another one shows.
B, H, S, d = 2, 3, 5, 8
AXES = ("B", "H", "S", "d")
#: What the rounding of a float32 angle near 20 may come to in the results.
ROUNDED = 3e-5


def places(seed, items=B, count=S, *, top=20):
    """Positions in no order and with gaps, each item's its own."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, top, (items, count), generator=generator)


def reference(x, positions, base=10000.0):
    """Pair j as the complex number xⱼ + i·xⱼ₊d/₂, times e^(ipθⱼ), in float64."""
    half = x.shape[-1] // 2
    theta = torch.tensor([base ** (-j / half) for j in range(half)], dtype=torch.float64)
    turn = torch.exp(1j * torch.einsum("bs,j->bsj", positions.double(), theta))
    turned = torch.complex(x[..., :half].double(), x[..., half:].double()) * turn[:, None]
    return torch.cat([turned.real, turned.imag], -1)


def agrees(submission, x, *rest):
    atol = ROUNDED if x.dtype == torch.float32 else None
    right = reference(x, *rest)
    agree(submission(x, *rest), right, "rotated", AXES, dtype=x.dtype, atol=atol)


@named(
    en="each pair turns by its position times its frequency",
    zh="每一对转过的角度是位置乘以该对的频率",
)
def test_formula(submission):
    agrees(submission, draw(10, B, H, S, d), places(11))


@named(en="a vector at position 0 stays as it is", zh="位置 0 上的向量保持原样")
def test_position_0(submission):
    x = draw(20, B, H, S, d)
    positions = torch.zeros(B, S, dtype=torch.int64)
    lead = ("Position 0 is no turn at all.", "位置 0 完全不转。")
    agree(submission(x, positions), x.double(), "rotated", AXES, dtype=x.dtype, lead=lead)


@named(en="every pair keeps its length", zh="每一对的长度不变")
def test_lengths(submission):
    x = draw(30, B, H, S, d)
    before, after = (
        y.detach().double().unflatten(-1, (2, -1)).norm(dim=-2)
        for y in (x, submission(x, places(31)))
    )
    agree(
        after,
        before,
        "length of the pair",
        ("B", "H", "S", "j"),
        dtype=torch.float64,
        rtol=1e-5,
        atol=1e-5,
    )


@named(
    en="scores depend on how far apart query and key stand, not on where",
    zh="分数只取决于查询与键相距多远，与各自的位置无关",
)
def test_only_distance_counts(submission):
    q, k = draw(40, B, H, S, d), draw(41, B, H, S + 1, d)
    m, n = places(42), places(43, count=S + 1)
    before, after = (
        submission(q, m + shift).double() @ submission(k, n + shift).double().mT
        for shift in (0, 11)
    )
    agree(
        after.detach(),
        before.detach(),
        "scores",
        ("B", "H", "S_q", "S_k"),
        dtype=torch.float64,
        rtol=1e-4,
        atol=1e-3,
        lead=(
            "Adding 11 to every position of queries and keys changed the scores.",
            "把查询和键的位置都加上 11，分数变了。",
        ),
    )


@named(
    en="turning by m and then by n is turning by m + n",
    zh="先转 m 再转 n，等于转 m + n",
)
def test_turns_add_up(submission):
    x, m, n = draw(50, B, H, S, d), places(51, top=10), places(52, top=10)
    twice, once = submission(submission(x, m).detach(), n), submission(x, m + n)
    agree(twice, once.detach().double(), "rotated", AXES, dtype=x.dtype, atol=2 * ROUNDED)


@named(
    en="each item has positions of its own, shared by its heads",
    zh="每个样本有自己的位置，由它的各个头共用",
)
def test_items(submission):
    # B = H = S: what broadcasts along the wrong axis raises no error here.
    agrees(submission, draw(60, 3, 3, 3, d), places(61, 3, 3))


@named(
    en="a single query far into the cache turns by its own position",
    zh="缓存很长时，单个查询按自己的位置旋转",
)
def test_decoding(submission):
    # One pair turns by exactly p: no dtype's rounding of a frequency is in the way.
    agrees(submission, draw(70, B, H, 1, 2), torch.tensor([[57], [100_000]]))


@named(en="the frequencies follow d, 4 or 20", zh="频率随 d 变化：4 和 20")
def test_widths(submission):
    agrees(submission, draw(80, B, H, S, 4), places(81))
    agrees(submission, draw(82, B, H, S, 20), places(83))


@named(en="the frequencies follow the base, 100 or 500,000", zh="频率随底数变化：100 和 500,000")
def test_bases(submission):
    x, positions = draw(90, B, H, S, d), places(91)
    agrees(submission, x, positions, 100.0)
    agrees(submission, x, positions, 500_000.0)


@named(
    en="float64 stays float64, its angles too: precise at position 100,000",
    zh="float64 输入得到 float64，角度也是：在位置 100,000 仍精确",
)
def test_float64(submission):
    agrees(submission, draw(100, B, H, S, d, dtype=torch.float64), places(101, top=100_000))


@named(
    en="bfloat16 stays bfloat16, and position 3001 is not rounded to 3008",
    zh="bfloat16 输入得到 bfloat16，位置 3001 不会被舍入成 3008",
)
def test_bfloat16(submission):
    x = draw(110, B, H, S, d, dtype=torch.bfloat16)
    agrees(submission, x, 3001 + 2 * places(111))


@named(
    en="x and positions may be views that are not contiguous",
    zh="x 和 positions 可以是不连续的视图",
)
def test_views(submission):
    agrees(submission, strided(draw(120, B, H, S, d)), strided(places(121)))


@named(en="the inputs are left as they were", zh="输入保持原样")
def test_inputs_unchanged(submission):
    submission(draw(130, B, H, S, d), places(131))
    unchanged(submission)


@named(
    en="nothing is left of earlier calls: other positions, lengths and bases",
    zh="不受之前调用的影响：换位置、换长度、换底数",
)
def test_no_memory(submission):
    agrees(submission, draw(140, B, H, 3, d), places(141, count=3))
    agrees(submission, draw(142, B, H, 3, d), places(143, count=3))
    agrees(submission, draw(144, B, H, 7, d), 30 + places(145, count=7))
    agrees(submission, draw(146, B, H, 3, d), places(147, count=3), 100.0)


@named(en="gradients reach x, turned back", zh="梯度传到 x，按相反方向转回")
def test_gradients(submission):
    x = draw(150, B, H, S, d, dtype=torch.float64)
    gradients_agree(submission, reference, {"x": x}, places(151), axes={"x": AXES})
