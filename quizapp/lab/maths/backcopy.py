"""A language in which most words say what follows, and a few ask to copy what came before.

    id 0: beginning of sequence; words 1 … 11, the first few of which are copying words
    after a copying word: the word before it, for certain
    after any other word: drawn from that word's row of a table, whatever came before

So attention has one thing to fetch at a copying word, and nothing at all at any other: the
present word says it all. Guo et al. 2024, "Active-Dormant Attention Heads", section 2
("Bigram-Backcopy").

Shapes: N seeded runs, each with a table of its own; B sequences, T positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from quizapp.lab.experiment import Context

if TYPE_CHECKING:
    import torch

First = Literal["bos", "word"]

#: Ids: the beginning of sequence and the words.
WORDS: Final = 11
VOCABULARY: Final = WORDS + 1
#: Standard deviation of the log-odds of the table: some successors likely, none certain.
SPREAD: Final = 1.5


@dataclass(frozen=True)
class Batch:
    """Tokens (N, B, T + 1): each predicts the next one; the last is a target only.

    copies: where a query (N, B, T) has something to copy.
    best: −ln of the true probability of each target (N, B, T).
    """

    ids: torch.Tensor
    copies: torch.Tensor
    best: torch.Tensor

    @property
    def one_hot(self) -> torch.Tensor:
        """The tokens that are read, (N, B, T, V)."""
        import torch

        return torch.nn.functional.one_hot(self.ids[..., :-1], VOCABULARY).float()

    def part(self, chosen: slice) -> Batch:
        """Some of its sequences."""
        return Batch(self.ids[:, chosen], self.copies[:, chosen], self.best[:, chosen])


def table(ctx: Context, runs: int) -> torch.Tensor:
    """Probability of each word after each word: (N, 11, 11), rows sum to 1."""
    return (SPREAD * ctx.normal("table", runs, WORDS, WORDS)).softmax(-1)


def draw(
    ctx: Context, name: str, runs: int, sequences: int, seq_len: int, *, copying: int, first: First
) -> Batch:
    """Sequences of the stream `name`. The first two tokens never ask to copy.

    first: what a sequence begins with, the id of its own or a word like any other.
    """
    import torch

    odds = table(ctx, runs).cpu()
    below = odds.cumsum(-1)
    generator = torch.Generator().manual_seed(ctx.stream(name))
    u = torch.rand(runs, sequences, seq_len + 1, generator=generator)
    ids = torch.zeros(runs, sequences, seq_len + 1, dtype=torch.long)
    run = torch.arange(runs)[:, None]
    plain = 1 + copying + (u[..., :2] * (WORDS - copying)).long()
    ids[..., 1] = plain[..., 1]
    if first == "word":
        ids[..., 0] = plain[..., 0]
    for at in range(1, seq_len):
        now = ids[..., at]
        likely = (u[..., at + 1, None] > below[run, now - 1]).sum(-1).clamp(max=WORDS - 1) + 1
        ids[..., at + 1] = torch.where(now <= copying, ids[..., at - 1], likely)
    now, after = ids[..., :-1], ids[..., 1:]
    copies = (now >= 1) & (now <= copying)
    true = odds[run[..., None], (now - 1).clamp(min=0), after - 1]
    best = torch.where(copies, 0.0, -true.log())
    return Batch(*(x.to(ctx.device) for x in (ids, copies, best)))
