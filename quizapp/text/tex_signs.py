"""The signs of TeX that `quizapp.text.tex` shows: each command with its Unicode character."""

from __future__ import annotations

from typing import Final

_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι "
    "kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ "
    "upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π "
    "Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω"
)
_ORDINARY = (
    "infty ∞ partial ∂ nabla ∇ top ⊤ bot ⊥ intercal ⊺ ell ℓ prime ′ forall ∀ exists ∃ nexists ∄ "
    "neg ¬ lnot ¬ emptyset ∅ varnothing ∅ ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ hbar ℏ Re ℜ Im ℑ "
    "angle ∠ dagger † star ⋆ vert | Vert ‖ | ‖ _ _ # # & & % %"
)
_BINARY = (
    "cdot · times × div ÷ pm ± mp ∓ ast ∗ circ ∘ bullet • odot ⊙ otimes ⊗ oplus ⊕ ominus ⊖ "
    "cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ bmod mod"
)
_RELATIONS = (
    "le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ approx ≈ sim ∼ simeq ≃ cong ≅ "
    "equiv ≡ propto ∝ ll ≪ gg ≫ in ∈ ni ∋ notin ∉ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ "
    "to → rightarrow → gets ← leftarrow ← leftrightarrow ↔ Rightarrow ⇒ implies ⟹ Leftarrow ⇐ "
    "Leftrightarrow ⇔ iff ⟺ mapsto ↦ longrightarrow ⟶ mid ∣ parallel ∥ perp ⊥ lt < gt > "
    "triangleq ≜ prec ≺ succ ≻"
)
_BIG = "sum ∑ prod ∏ int ∫ iint ∬ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂"
_FUNCTIONS = (
    "log ln lg exp min max sup inf lim limsup liminf arg argmin argmax det dim ker deg gcd Pr "
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh hom tr"
)
_OPENING = "{ { lbrace { langle ⟨ lfloor ⌊ lceil ⌈ lvert | lVert ‖"
_CLOSING = "} } rbrace } rangle ⟩ rfloor ⌋ rceil ⌉ rvert | rVert ‖"


def _table(words: str) -> dict[str, str]:
    parts = words.split()
    return dict(zip(parts[::2], parts[1::2], strict=True))


ORDINARY: Final = {**_table(_GREEK), **_table(_ORDINARY)}
BINARY: Final = _table(_BINARY)
RELATIONS: Final = _table(_RELATIONS)
#: Signs that range over what follows; limits stand beside them.
BIG: Final = _table(_BIG)
OPENING: Final = _table(_OPENING)
CLOSING: Final = _table(_CLOSING)
#: Names of functions, upright, with a blank before their argument.
FUNCTIONS: Final = frozenset(_FUNCTIONS.split())
#: Blanks of some width; `!` takes some back.
SPACES: Final = {",": " ", ":": " ", ">": " ", ";": " ", " ": " ", "quad": " ", "qquad": " ",
                 "!": "", "displaystyle": "", "textstyle": "", "limits": "", "nolimits": "",
                 "thinspace": " ", "enspace": " "}  # fmt: skip
#: Sizes of brackets, which a line of text does not have.
SIZES: Final = frozenset(
    f"{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
) | {"left", "right", "middle"}  # fmt: skip
#: A mark above one letter: combining characters.
ACCENTS: Final = {"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0305",
                  "tilde": "\u0303", "widetilde": "\u0303", "dot": "\u0307", "ddot": "\u0308",
                  "vec": "\u20d7", "check": "\u030c"}  # fmt: skip
#: Roots whose index has a sign.
ROOTS: Final = {"": "√", "2": "√", "3": "∛", "4": "∜"}

SUPER: Final = dict(
    zip(
        "0123456789+−=()abcdefghijklmnoprstuvwxyzT⊤⊺′",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᵀᵀ′",
        strict=True,
    )
)
SUB: Final = dict(
    zip(
        "0123456789+−=()aehijklmnoprstuvxβγρφχ",
        "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        strict=True,
    )
)

_HOLES: Final = {
    "ℬ": "B", "ℰ": "E", "ℱ": "F", "ℋ": "H", "ℐ": "I", "ℒ": "L", "ℳ": "M", "ℛ": "R",
}  # fmt: skip


def _letters(start: int, first: str, count: int) -> dict[str, str]:
    return {chr(ord(first) + n): chr(start + n) for n in range(count)}


#: Alphabets in which a letter means something else than in italics.
ALPHABETS: Final[dict[str, dict[str, str]]] = {
    "mathbf": {
        **_letters(0x1D400, "A", 26),
        **_letters(0x1D41A, "a", 26),
        **_letters(0x1D7CE, "0", 10),
    },
    "mathcal": {**_letters(0x1D49C, "A", 26), **{plain: sign for sign, plain in _HOLES.items()}},
    "mathbb": {
        **_letters(0x1D538, "A", 26),
        **dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    },
}
ALPHABETS["boldsymbol"] = ALPHABETS["bm"] = ALPHABETS["mathbf"]
#: Upright letters: a name of several letters, or the letter itself.
UPRIGHT: Final = frozenset({"text", "mathrm", "textrm", "operatorname", "mathit", "mathop"})
