"""Rotary embeddings a second way, for cross-checks: a pair of columns is one complex number.

Turning by φ is a product with e^{iφ}, and a score the real part of Σ z_q · conj(z_k).
Float64 NumPy. Shapes: D draws, n positions, d_k/2 pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.maths.rope import Angles, Pairing

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


@dataclass(frozen=True)
class Size:
    """Width, base, and the number format that angles are multiplied out in."""

    d_k: int
    base: float
    angles: Angles = "float64"

    @property
    def theta(self) -> Array:
        """Radians per position: (d_k/2,)."""
        j = np.arange(self.d_k // 2)
        return np.exp(-2 * j / self.d_k * math.log(self.base))

    def phase(self, positions: Array, made_in: Angles = "float64") -> Array:
        """Angles (n, d_k/2), rounded as the number format rounds factors and product."""

        def held(x: Array) -> Array:
            if made_in == "float64":
                return x
            single = x.astype(np.float32)
            return (single if made_in == "float32" else _bfloat16(single)).astype(np.float64)

        # Two 24-bit factors have an exact product in float64 (48 bits), then rounded once.
        return held(held(positions)[:, None] * held(self.theta))


def _bfloat16(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The nearest number with 8 significant bits, ties to even."""
    bits = x.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return bits.astype(np.uint32).view(np.float32)


def paired(x: Array, pairing: Pairing) -> Complex:
    """(…, d_k) → (…, d_k/2) complex."""
    half = x.shape[-1] // 2
    if pairing == "halves":
        return np.asarray(x[..., :half] + 1j * x[..., half:])
    return np.asarray(x[..., 0::2] + 1j * x[..., 1::2])


def _plain(z: Complex, pairing: Pairing) -> Array:
    """Back to real columns in their old places: (…, d_k/2) → (…, d_k)."""
    axis = -1 if pairing == "adjacent" else -2
    return np.stack([z.real, z.imag], axis).reshape(*z.shape[:-1], -1)


def shifted(
    size: Size,
    qkv: tuple[Array, Array, Array],
    rotated: str,
    pairings: tuple[Pairing, Pairing],
    shift: int,
) -> dict[str, float]:
    """The metrics of the shift, from phases: scores, outputs, and embeddings that are added."""
    q, k, v = qkv
    n, root = q.shape[1], math.sqrt(size.d_k)
    zq, zk = paired(q, pairings[0]), paired(k, pairings[1])
    rescored, outputs, added = [], [], []
    for start in (0, shift):
        positions = np.arange(start, start + n, dtype=np.float64)
        turn = np.exp(1j * size.phase(positions, size.angles))  # (n, d_k/2)
        there = zk if rotated == "q" else zk * turn
        if pairings[0] == pairings[1]:
            scores = ((zq * turn) @ there.conj().swapaxes(-1, -2)).real / root
        else:
            a, b = _plain(zq * turn, pairings[0]), _plain(there, pairings[1])
            scores = np.einsum("dmc,dnc->dmn", a, b) / root
        values = paired(v, pairings[0]) * (turn if rotated == "q_k_v" else 1)
        total = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
        rescored.append(scores)
        outputs.append(np.exp(scores - total) @ values)  # complex: lengths are the same
        # sin + i·cos of an angle is i times the conjugate of its e^{iφ}.
        p = 1j * np.exp(-1j * size.phase(positions))
        a, b = paired(q, "adjacent") + p, paired(k, "adjacent") + p
        added.append((a @ b.conj().swapaxes(-1, -2)).real / root)
    plain = (paired(q, "adjacent") @ paired(k, "adjacent").conj().swapaxes(-1, -2)).real / root
    return {
        "shift_error": float(np.abs(rescored[1] - rescored[0]).max((-2, -1)).mean()),
        "shift_error_added": float(np.abs(added[1] - added[0]).max((-2, -1)).mean()),
        "output_shift": float(_relative(outputs[1], outputs[0]).mean()),
        "score_change": float(_relative(rescored[0], plain).mean()),
        "score_std": _std(rescored[0]),
        "score_std_plain": _std(plain),
    }


def _relative(a: Complex | Array, b: Complex | Array) -> Array:
    lengths = [np.linalg.norm(x.reshape(len(x), -1), axis=-1) for x in (a - b, b)]
    return np.asarray(lengths[0] / lengths[1])


def _std(scores: Array) -> float:
    return float(np.sqrt(scores.reshape(len(scores), -1).var(-1, ddof=1).mean()))


def by_distance(
    size: Size, q: Array, k: Array, distances: Sequence[int]
) -> tuple[list[float], list[float]]:
    """Score with itself over that at distance 0, and std with another, at each distance.

    With itself only squared lengths of pairs count: Σ |zⱼ|² cos(θⱼΔ).
    """
    zq, zk = paired(q, "adjacent"), paired(k, "adjacent")
    power = (np.abs(zq) ** 2).mean(1)  # (D, d_k/2)
    cross = zq * zk.conj()
    itself, spread = [], []
    for distance in distances:
        angle = size.theta * distance
        itself.append(float((power @ np.cos(angle) / power.sum(-1)).mean()))
        scores = (cross @ np.exp(1j * angle)).real / math.sqrt(size.d_k)
        spread.append(float(np.sqrt(scores.var(-1, ddof=1).mean())))
    return itself, spread


def rising_share(size: Size, longest: int) -> float:
    """Share of steps at which Σ cos(θΔ) rises: cos a − cos b = −2 sin((a+b)/2) sin((a−b)/2)."""
    half = np.sin(size.theta / 2)
    steps = -np.sin((np.arange(1, longest + 1)[:, None] - 0.5) * size.theta) @ half
    return float((steps > 0).mean())


def unfinished(size: Size, trained_len: int) -> float:
    """Share of pairs that turn by less than 2π over the trained length."""
    return float((size.theta * trained_len < 2 * math.pi).mean())


def arcs(size: Size, trained_len: int, stretch: int) -> list[float]:
    """Share of unseen angles: plain, interpolated, with a larger base.

    An angle has been seen where it lies on the arc from 0 to the last trained one, or within
    1.5 steps of an end of it; a pair that has closed its circle has seen every angle.
    """
    later = np.arange(trained_len, trained_len * stretch, dtype=np.float64)[:, None]
    theta, turn = size.theta, 2 * math.pi
    grown = Size(size.d_k, size.base * stretch ** (size.d_k / (size.d_k - 2))).theta
    end = theta * (trained_len - 1)
    shares = []
    for angle in (later * theta, later / stretch * theta, later * grown):
        on = angle % turn
        out = (on > end + 1.5 * theta) & (on < turn - 1.5 * theta)
        shares.append(float((out & (end < turn)).mean()))
    return shares
