"""A run at its bounds stays below what is stated for it: measured, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from quizapp.lab.catalogue import load
from quizapp.lab.engine.memory import needed

#: One process measures one run: what an earlier one had held would hide its peak.
MEASURE = """
import json, sys
from pathlib import Path
import torch
from quizapp.lab.catalogue import load
from quizapp.lab.context import RunContext
from quizapp.lab.engine import warm

def kib(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))

torch.set_num_threads(1)
warm.up()
name, values = sys.argv[1], json.loads(sys.argv[2])
module = load(name)
params = module.Params(**values)
ctx = RunContext(name, module.METRICS, params, "cpu")
before = kib("VmRSS")
for report in module.run(params, ctx):
    pass
module.check(params, ctx)
print(1024 * (kib("VmHWM") - before))
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it in /proc")


@pytest.mark.parametrize(
    ("name", "values"), [("precision", {"terms": 16384, "seq_len": 2, "draws": 2, "d_k": 1})]
)
def test_no_run_takes_more_than_is_stated(name: str, values: dict[str, int]) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, name, json.dumps(values)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    module = load(name)
    taken, stated = int(ran.stdout), needed(module, module.Params(**values))
    assert taken <= stated
    # Refusing what would fit is a fault as well.
    assert taken > stated / 2
