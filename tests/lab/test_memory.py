"""What a run needs is compared with what there is, before anything is allocated."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from quizapp.lab.catalogue import Experiment, load, names
from quizapp.lab.engine import memory, runner
from quizapp.lab.engine.failures import Refused
from quizapp.lab.experiment import BaseParams, param

GIB = 2**30


class Params(BaseParams):
    seq_len: int = param(4096, low=2, high=2**20, en="n", zh="n")
    d_k: int = param(64, low=1, high=4096, en="d", zh="d")
    causal: bool = param(False, en="c", zh="c")


def module(**parts: Any) -> Experiment:
    return cast(Experiment, SimpleNamespace(**parts))


def squares(params: BaseParams) -> int:
    assert isinstance(params, Params)
    return params.seq_len**2 * 64 + params.d_k


LARGE = module(memory=squares)


def files(root: Path, contents: Mapping[str, str]) -> Path:
    for name, text in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def with_room(monkeypatch: pytest.MonkeyPatch, room: int | None) -> None:
    monkeypatch.setattr(memory, "available", lambda device: room)


def test_what_does_not_fit_is_refused_with_the_parameter_to_lower(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_room(monkeypatch, GIB // 4)
    with pytest.raises(Refused) as caught:
        memory.refuse_too_large(LARGE, Params(), "cuda")
    failure = caught.value.failure
    assert failure.kind == "memory"
    assert failure.text.to("en") == (
        "This run needs about 1.0 GiB; cuda has 256 MiB free. Lower seq_len to 2,047 or less."
    )
    assert "请把 seq_len 降到 2,047 或更小" in failure.text.to("zh")
    memory.refuse_too_large(LARGE, Params(seq_len=2047), "cuda")
    with pytest.raises(Refused):
        memory.refuse_too_large(LARGE, Params(seq_len=2048), "cuda")


def test_where_no_parameter_suffices_it_says_to_free_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_room(monkeypatch, 100)
    with pytest.raises(Refused, match="Free some memory first"):
        memory.refuse_too_large(LARGE, Params(), "cpu")


def test_an_experiment_that_states_nothing_is_held_to_the_usual_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_room(monkeypatch, memory.USUAL)
    memory.refuse_too_large(module(), Params(), "cpu")
    with_room(monkeypatch, memory.USUAL - 1)
    with pytest.raises(Refused, match="needs about 256 MiB; cpu has 256 MiB free"):
        memory.refuse_too_large(module(), Params(), "cpu")


def test_a_system_that_does_not_say_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with_room(monkeypatch, None)
    memory.refuse_too_large(LARGE, Params(seq_len=2**20), "cpu")


def test_the_runner_refuses_before_the_experiment_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with_room(monkeypatch, 2**20)
    (only,) = runner.reports("softmax", {}, "cpu")
    assert only.failure is not None
    assert only.failure.kind == "memory"


@pytest.mark.parametrize("name", names())
def test_what_an_experiment_states_is_bytes_and_its_default_is_modest(name: str) -> None:
    need = memory.needed(load(name), load(name).Params())
    assert isinstance(need, int)
    assert 0 < need <= GIB


# --- what there is -----------------------------------------------------------------------


def test_the_least_of_system_and_control_group_counts(tmp_path: Path) -> None:
    root = files(
        tmp_path,
        {
            "proc/meminfo": "MemTotal:  16777216 kB\nMemAvailable:  8388608 kB\n",
            "proc/self/cgroup": "0::/user/app\n",
            "sys/fs/cgroup/user/app/memory.max": f"{2 * GIB}\n",
            "sys/fs/cgroup/user/app/memory.current": f"{GIB}\n",
            "sys/fs/cgroup/user/app/memory.stat": f"anon 5\ninactive_file {GIB // 4}\n",
        },
    )
    assert memory.host_memory(root) == GIB + GIB // 4
    (root / "sys/fs/cgroup/user/app/memory.max").write_text("max\n")
    assert memory.host_memory(root) == 8 * GIB


def test_an_older_control_group_counts_at_its_root_too(tmp_path: Path) -> None:
    root = files(
        tmp_path,
        {
            "proc/meminfo": "MemAvailable:  8388608 kB\n",
            "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/not/seen/inside\n0::/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{GIB}\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{GIB // 2}\n",
            "sys/fs/cgroup/memory/memory.stat": "cache 7\ntotal_inactive_file 1024\n",
        },
    )
    assert memory.host_memory(root) == GIB // 2 + 1024


def test_a_limit_of_the_process_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = files(
        tmp_path,
        {
            "proc/meminfo": "MemAvailable:  8388608 kB\n",
            "proc/self/status": "Name:\tpython\nVmSize:\t 1048576 kB\nVmData:\t 1024 kB\n",
        },
    )
    limits = {resource.RLIMIT_AS: 3 * GIB, resource.RLIMIT_DATA: resource.RLIM_INFINITY}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits[which], -1))
    assert memory.host_memory(root) == 2 * GIB


def test_a_system_without_these_files_says_nothing(tmp_path: Path) -> None:
    assert memory.host_memory(tmp_path) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it in /proc")
def test_this_machine_says_how_much_it_has() -> None:
    found = memory.available("cpu")
    assert found is not None
    assert 2**20 < found < 2**50


def test_what_the_cuda_allocator_holds_unused_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (10 * GIB, 80 * GIB))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda: 5 * GIB)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: GIB)
    assert memory.available("cuda") == 14 * GIB


def test_mps_has_what_metal_recommends_less_what_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.mps, "recommended_max_memory", lambda: 12 * GIB)
    monkeypatch.setattr(torch.mps, "driver_allocated_memory", lambda: 2 * GIB)
    assert memory.available("mps") == 10 * GIB
