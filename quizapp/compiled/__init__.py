"""Compiled banks: what a folder of question banks came to when it was last read.

The standard library alone, so that an index of ten thousand questions is open before a YAML
or model library would be imported. `quizapp.bank.compile` fills it; nothing here parses a
bank, and nothing kept here is trusted unless the files are the ones that were read.
"""

from quizapp.compiled.index import CompiledBank, Damaged, KeptExercise, KeptQuestion
from quizapp.compiled.place import code, discard, open_fresh, open_kept, write
from quizapp.compiled.seen import Seen, look
from quizapp.compiled.store import Compiled, Draft, KeptFile, columns

__all__ = [
    "Compiled",
    "CompiledBank",
    "Damaged",
    "Draft",
    "KeptExercise",
    "KeptFile",
    "KeptQuestion",
    "Seen",
    "code",
    "columns",
    "discard",
    "look",
    "open_fresh",
    "open_kept",
    "write",
]
