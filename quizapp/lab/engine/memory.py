"""Compares what a run needs with what its device has, before anything is allocated.

An experiment whose bounds allow much states its need, in bytes, by `memory(params)`; the
others are held to bounds that keep them below `USUAL`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import torch

from quizapp.lab.catalogue import Experiment
from quizapp.lab.engine.failures import Refused
from quizapp.lab.experiment import BaseParams

MIB: Final = 2**20
#: What a run needs whose experiment states nothing: inputs, weights and their float64 copies.
USUAL: Final = 256 * MIB
#: Files and folders the kernel tells memory in; another root in tests.
ROOT: Final = Path("/")


def refuse_too_large(module: Experiment, params: BaseParams, device: str) -> None:
    """Refused, with the parameter to lower, where the run needs more than `device` has now."""
    room = available(device)
    need = needed(module, params)
    if room is None or need <= room:
        return
    advice = lower(module, params, room)
    sizes = f"{size(need)}", f"{size(room)}"
    if advice is None:
        en, zh = "Free some memory first.", "请先释放一些内存。"
    else:
        en = f"Lower {advice[0]} to {advice[1]:,} or less."
        zh = f"请把 {advice[0]} 降到 {advice[1]:,} 或更小。"
    raise Refused(
        "memory",
        f"This run needs about {sizes[0]}; {device} has {sizes[1]} free. {en}",
        f"这次运行约需 {sizes[0]}，{device} 只剩 {sizes[1]}。{zh}",
    )


def needed(module: Experiment, params: BaseParams) -> int:
    """Bytes the run holds at its peak, its cross-check included."""
    stated: Callable[[BaseParams], int] | None = getattr(module, "memory", None)
    return USUAL if stated is None else stated(params)


def lower(module: Experiment, params: BaseParams, room: int) -> tuple[str, int] | None:
    """The whole-number parameter to lower, and the largest value of it that fits.

    Of those that suffice alone, the one that keeps the largest part of its value; None
    where no single one does.
    """
    found: list[tuple[float, str, int]] = []
    for name, (value, least) in _sizes(params):

        def fits(tried: int, name: str = name) -> bool:
            return needed(module, params.model_copy(update={name: tried})) <= room

        if fits(least):
            most = _largest(fits, least, value)
            found.append((most / value, name, most))
    if not found:
        return None
    _, name, most = max(found)
    return name, most


def _sizes(params: BaseParams) -> Iterator[tuple[str, tuple[int, int]]]:
    """Every whole-number parameter but the seed, with its value and its least value."""
    for name, field in type(params).model_fields.items():
        value = getattr(params, name)
        if name == "seed" or isinstance(value, bool) or not isinstance(value, int):
            continue
        least = next((int(m.ge) for m in field.metadata if hasattr(m, "ge")), 1)
        if value > least:
            yield name, (value, least)


def _largest(fits: Callable[[int], bool], low: int, high: int) -> int:
    """The largest number of low … high−1 that fits, where `low` does and `high` does not."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def size(count: int) -> str:
    """Bytes as a person reads them: "312 MiB", "4.1 GiB"."""
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / MIB:.0f} MiB"


def available(device: str) -> int | None:
    """Bytes a run on `device` may still take; None where the system does not say."""
    if device == "cuda":
        free, _ = torch.cuda.mem_get_info()
        # What torch's allocator holds and does not use is as good as free.
        return int(free + torch.cuda.memory_reserved() - torch.cuda.memory_allocated())
    if device == "mps":
        return int(torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory())
    return host_memory(ROOT)


def host_memory(root: Path) -> int | None:
    """The least of what the system, the control group and the process's limits leave."""
    found = [*_system(root), *_control_group(root), *_limits(root)]
    return max(0, min(found)) if found else None


def _system(root: Path) -> Iterator[int]:
    free = _fields(root / "proc/meminfo").get("MemAvailable")
    if free is not None:
        yield free


def _control_group(root: Path) -> Iterator[int]:
    """The group's limit, less what it uses and could not drop: version 2, then version 1."""
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if not controllers:
            base, files = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            base = root / "sys/fs/cgroup/memory"
            files = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        # Inside a container the group's own path may not exist: its root is the group then.
        for folder in (base / path.lstrip("/"), base):
            limit, used = _number(folder / files[0]), _number(folder / files[1])
            if limit is not None and used is not None:
                yield limit - used + _fields(folder / "memory.stat").get(files[2], 0)
                break


def _limits(root: Path) -> Iterator[int]:
    """What ``ulimit -v`` and ``ulimit -d`` leave this process."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    status = _fields(root / "proc/self/status")
    for limit, name in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY and name in status:
            yield most - status[name]


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []  # no such file: another system, or another version of control groups


def _fields(file: Path) -> dict[str, int]:
    """``name value`` lines in bytes; /proc gives KiB and says so."""
    found = {}
    for line in _lines(file):
        parts = line.replace(":", " ").split()
        if len(parts) >= 2 and parts[1].isdigit():
            found[parts[0]] = int(parts[1]) * (1024 if parts[2:] == ["kB"] else 1)
    return found


def _number(file: Path) -> int | None:
    """The number a file holds; None where it holds none, as "max" is."""
    text = "".join(_lines(file)).strip()
    return int(text) if text.isdigit() else None
