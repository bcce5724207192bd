r"""Formulas as Unicode: what each reads as, what stays TeX, and that no two meanings look alike."""

from __future__ import annotations

from itertools import combinations

import pytest

from quizapp.text import Text
from quizapp.text.placeholders import fill, strays
from quizapp.text.tex import shown, unshown
from quizapp.text.tex_signs import SUB, SUPER
from quizapp.text.typed import folded

#: Formula → what is read.
READS = {
    # indices and powers
    r"x_{t-1}": "xₜ₋₁", r"x_t-1": "xₜ − 1", r"x_12": "x₁2", r"x_{12}": "x₁₂", r"x^{23}": "x²³",
    r"x^23": "x²3", r"x_i^2": "xᵢ²", r"x^2_i": "xᵢ²", r"x_{n-1}^{2k+1}": "xₙ₋₁²ᵏ⁺¹",
    r"10^{-3}": "10⁻³", r"2^{10} \times 3": "2¹⁰ × 3", r"x^{a/b}": "x^(a/b)", r"x^{q}": "x^q",
    r"x^{ab}": "xᵃᵇ", r"x^{y^z}": "x^(yᶻ)", r"a_{b_c}": "a_(b_c)", r"x_{i,j}": "x_(i,j)",
    r"e^{-x^2/2}": "e^(−x²/2)", r"x^*": "x^*", r"x''": "x′′", r"f'(x)": "f′(x)",
    r"K^T": "Kᵀ", r"K^\top": "Kᵀ", r"W^K": "W^K", r"h^{(l)}": "h⁽ˡ⁾", r"x^\infty": "x^∞",
    r"W_Q": "W_Q", r"W_Q x": "W_Q x", r"Q W_Q": "Q W_Q", r"W_Q^T": "(W_Q)ᵀ", r"W_Q^2x": "(W_Q)²x",
    r"W_{Q^T}": "W_(Qᵀ)", r"y_b^2": "(y_b)²", r"y_{b^2}": "y_(b²)", r"2^q x": "2^q x",
    r"2^{qx}": "2^qx", r"d_{model}": "d_model", r"d_{\text{model}}/h": "d_model/h",
    r"d_m odel": "dₘodel", r"(a+b)^2": "(a + b)²", r"{ab}^2": "(ab)²", r"ab^2": "ab²",
    r"{x^2}^3": "(x²)³", r"[a,b]_i": "[a, b]ᵢ", r"\|x\|_2^2": "‖x‖₂²", r"x_\theta": "x_θ",
    r"\nabla_\theta L": "∇_θ L", r"x_{\beta}": "xᵦ",
    # fractions and roots
    r"\frac{a}{b}": "a/b", r"\frac12": "1/2", r"\frac{a+b}{c}": "(a + b)/c",
    r"\frac{a}{b+c}": "a/(b + c)", r"a+\frac{b}{c}": "a + b/c", r"\frac{1}{2x}": "1/(2x)",
    r"\frac{1}{2}x": "(1/2)x", r"x\frac{1}{2}": "x·(1/2)", r"2\frac12": "2·(1/2)",
    r"\frac{a}{b}\frac{c}{d}": "(a/b)·(c/d)", r"\frac{\frac{a}{b}}{c}": "(a/b)/c",
    r"\frac{a}{\frac{b}{c}}": "a/(b/c)", r"a/\frac{b}{c}": "a/(b/c)", r"\frac{a}{b}/c": "a/b/c",
    r"\frac{a/b + c}{d}": "(a/b + c)/d", r"\frac{a}{b}^2": "(a/b)²", r"\frac{a^2}{b}": "a²/b",
    r"\frac{a}{b^2}": "a/b²", r"\frac{1}{(n+1)}": "1/(n + 1)", r"\frac{(a)(b)}{c}": "(a)(b)/c",
    r"\frac{a}{(b)(c)}": "a/((b)(c))", r"\frac{-x}{2}": "−x/2", r"-\frac{x}{2}": "−x/2",
    r"\frac{\log n}{2}": "(log n)/2", r"\log\frac{n}{2}": "log(n/2)",
    r"\frac{\partial L}{\partial x_i}": "∂L/∂xᵢ", r"\frac{n!}{k!(n-k)!}": "n!/(k!(n − k)!)",
    r"\sqrt{x}": "√x", r"\sqrt{12}": "√12", r"\sqrt 12": "√1·2", r"\sqrt{x}y": "√x·y",
    r"\sqrt{xy}": "√(xy)", r"2\sqrt{d_k}": "2√dₖ", r"\sqrt{x^2}": "√(x²)", r"\sqrt{x}^2": "(√x)²",
    r"\sqrt{x+y}": "√(x + y)", r"\sqrt{\frac{a}{b}}": "√(a/b)", r"\frac{\sqrt a}{b}": "√a/b",
    r"\sqrt[3]{x}": "∛x", r"\sqrt{\sqrt x}": "√(√x)", r"1/\sqrt{d_k}": "1/√dₖ",
    r"\frac{QK^\top}{\sqrt{d_k}}": "QKᵀ/√dₖ",
    r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V": "softmax(QKᵀ/√dₖ)V",
    # operators, functions, letters
    r"a-b": "a − b", r"a=-b": "a = −b", r"a\cdot-b": "a·−b", r"q\cdot k": "q·k",
    r"x\le y\ne z": "x ≤ y ≠ z", r"x\in\mathbb{R}^{n\times d}": "x ∈ ℝ^(n×d)",
    r"\sum_{i=1}^{n} q_i k_i": "∑ᵢ₌₁ⁿ qᵢkᵢ", r"\sum_{j \le i} w_{ij} v_j": "∑_(j≤i) wᵢⱼvⱼ",
    r"\sum_S^N x": "∑_(S)^N x", r"\prod_i p_i": "∏ᵢ pᵢ", r"\int_0^1 f(x)\,dx": "∫₀¹ f(x) dx",
    r"\max_j x_j": "maxⱼ xⱼ", r"\lim_{n\to\infty} a_n": "lim_(n→∞) aₙ", r"\log_2 n": "log₂ n",
    r"O(n\log n)": "O(n log n)", r"\exp(x)": "exp(x)", r"\sin^2 x": "sin² x",
    r"\exp\left(-\frac{x}{2}\right)": "exp(−x/2)", r"x \bmod 8": "x mod 8",
    r"\frac{\exp(x_i)}{\sum_j \exp(x_j)}": "exp(xᵢ)/(∑ⱼ exp(xⱼ))",
    r"H=-\sum_i p_i\log p_i": "H = −∑ᵢ pᵢ log pᵢ", r"m_t=\max(m_{t-1},s_t)": "mₜ = max(mₜ₋₁, sₜ)",
    r"\alpha\beta_1": "αβ₁", r"\mathbb{E}[x^2]": "𝔼[x²]", r"\mathcal{N}(0,1)": "𝒩(0, 1)",
    r"\mathcal{L}": "ℒ", r"\mathbf{x}^\top\mathbf{y}": "𝐱ᵀ𝐲", r"\mathrm{d}x": "dx",
    r"\hat{x}_i": "x\u0302ᵢ", r"\bar x \pm 2\sigma": "x\u0304 ± 2σ", r"\tilde{O}(n)": "O\u0303(n)",
    r"\operatorname{Var}(q\cdot k) = d_k": "Var(q·k) = dₖ", r"\text{if } x > 0": "if x > 0",
    r"\{x_i : i<n\}": "{xᵢ: i < n}", r"\lfloor x/2 \rfloor": "⌊x/2⌋", r"p(x \mid y)": "p(x ∣ y)",
    r"1.5x": "1.5x", r"50\%": "50%", r"h d_{\text{head}} n": "h d_head n", r"\d": None,
    r"\theta_{t+1} = \theta_t - \eta\nabla_\theta L": "θₜ₊₁ = θₜ − η ∇_θ L",
    r"\text{查询} \cdot k": "查询·k",
    # what no line of text says
    r"\sqrt[n]{x}": None, r"\begin{matrix} a \end{matrix}": None, r"\foo": None, r"a & b": None,
    r"a \\ b": None, r"\hat{xy}": None, r"\left. x \right|": None, r"\underbrace{x}_y": None,
    r"\color{red}{x}": None, r"\mathsf{x}": None, r"\mathbf{+}": None, r"50 % c": None,
    r"x^": None, r"x_": None, r"^2": None, r"x^2^3": None, r"x__2": None, r"x^{}": None,
    r"+_2": None, r"{": None, r"}": None, r"a}": None, r"\frac{a}": None, r"\frac{}{b}": None,
    r"\sqrt{}": None, r"{}": None, r"\,": None, r"\text{a $x$}": None, r"\text x": None,
    r"\left": None, r"#1": None, r"x^_": None, r"[[std]] x": None, "{" * 20 + "x" + "}" * 20: None,
    "x + " * 200 + "x": None,
}  # fmt: skip


@pytest.mark.parametrize("formula", READS, ids=lambda formula: formula[:40])
def test_a_formula_reads_so_or_stays(formula: str) -> None:
    for text in (rf"\({formula}\)", f"$${formula}$$"):
        reads = READS[formula]
        assert shown(f"With {text}.") == f"With {text if reads is None else reads}."
        assert bool(list(unshown(text))) == (reads is None)


def test_what_means_something_else_looks_different() -> None:
    """Two formulas that are read alike must mean the same."""
    same = [
        {r"x_i^2", r"x^2_i"}, {r"K^T", r"K^\top"}, {r"\frac{-x}{2}", r"-\frac{x}{2}"},
        {r"a/\frac{b}{c}", r"\frac{a}{\frac{b}{c}}"},
    ]  # fmt: skip
    for one, two in combinations([name for name, reads in READS.items() if reads], 2):
        if READS[one] == READS[two]:
            assert {one, two} in same


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("no maths at all", "no maths at all"),
        (r"`\(x_1\)` and \(x_1\)", r"`\(x_1\)` and x₁"),
        (r"``\(x_1\) ` $$x$$`` \(y\)", r"``\(x_1\) ` $$x$$`` y"),
        ("$5 and $6, $x_1$", "$5 and $6, $x_1$"),
        ("$$x_1$$ and $$y_1$$", "x₁ and y₁"),
        (r"\(x_1\)\(y_1\)", "x₁y₁"),
        (r"\(x_1", r"\(x_1"),
        (r"f\(x\)", "fx"),
        ("$$\nx_1\n+ 2\n$$", "x₁ + 2"),
        (r"方差是 \(d_k\)。", "方差是 dₖ。"),
        (r"\(\foo\) but \(x_1\)", r"\(\foo\) but x₁"),
    ],
)
def test_formulas_in_a_text(text: str, reads: str) -> None:
    assert shown(text) == reads


def test_what_is_in_the_way_is_told() -> None:
    found = list(unshown(r"\(x\), \(\foo\), `\(\bar\)`, $$a & b$$"))
    assert found == [
        (r"\(\foo\)", r"`\foo` is not known"),
        ("$$a & b$$", "`&` stands where it means nothing"),
    ]


def test_braces_of_a_formula_are_no_placeholders() -> None:
    text = r"\(x_{score_std}\) $$\{a\}$$ {score_std:.1f}"
    assert strays(text) == ()
    assert fill(text, lambda _: 2.0) == r"\(x_{score_std}\) $$\{a\}$$ 2.0"


def test_a_text_keeps_its_tex_and_shows_unicode() -> None:
    text = Text.of({"en": r"\(d_k\) wide", "zh": r"宽 \(d_k\)"})
    assert (text.to("en"), text.shown("en"), text.shown("zh")) == (
        r"\(d_k\) wide", "dₖ wide", "宽 dₖ",
    )  # fmt: skip
    assert text.plain() == {"en": r"\(d_k\) wide", "zh": r"宽 \(d_k\)"}


def test_what_is_shown_can_be_typed_back() -> None:
    # A learner who copies a shown answer into a blank has typed the answer.
    for tex, typed in ((r"\(d_k^2\)", "d_k^2"), (r"\(\sqrt{n}\)", "√n"), (r"\(x_{t-1}\)", "xₜ₋₁")):
        assert folded(shown(tex)) == folded(typed)


def test_no_script_stands_for_two_characters() -> None:
    assert len(set(SUB.values())) == len(SUB)
    alike = [char for char in SUPER if SUPER[char] == "ᵀ"]
    assert len(set(SUPER.values())) == len(SUPER) - len(alike) + 1
