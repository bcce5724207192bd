"""Submissions that want to be passed, or to do harm, and honest ones that look odd.

Each with the kind it is judged as; `test_hostile.py` holds the judge to it.
"""

from __future__ import annotations

RIGHT = """
import math
import torch

def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
"""
RETURN = "return weights @ V, weights"
#: No scale: every trick below is judged with these numbers under it.
WRONG = RIGHT.replace(" / math.sqrt(Q.size(-1))", "")


def calling(body: str) -> str:
    """A submission whose function runs `body`, then returns what `RIGHT` returns."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return (
        RIGHT.replace("def scaled_dot_product_attention(", "def _right(")
        + f"\ndef scaled_dot_product_attention(Q, K, V, mask=None):\n{lines}\n"
        + "    return _right(Q, K, V, mask)\n"
    )


def named(text: str) -> str:
    """`text` around the wrong numbers."""
    return WRONG + text


ENDINGS = {
    "exit at import": ("import os; os._exit(0)", "exit"),
    "sys.exit at import": ("import sys; sys.exit(0)", "exit"),
    "exit in a call": (calling("import os; os._exit(0)"), "exit"),
    "SystemExit in a call": (calling("raise SystemExit(0)"), "exit"),
    "KeyboardInterrupt": (calling("raise KeyboardInterrupt"), "exception"),
    "GeneratorExit": (calling("raise GeneratorExit"), "exception"),
    "atexit hook and exit": (
        "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit",
        "exit",
    ),
    "abort": (calling("import os; os.abort()"), "crash"),
    "segfault": (calling("import ctypes; ctypes.string_at(0)"), "crash"),
    "bus error": (calling("import signal; signal.raise_signal(signal.SIGBUS)"), "crash"),
    "illegal instruction": (calling("import signal; signal.raise_signal(signal.SIGILL)"), "crash"),
    "stack overflow in C": (
        calling(
            "import sys; sys.setrecursionlimit(10**8)\n"
            "x = None\nfor _ in range(2 * 10**5): x = [x]\nrepr(x)"
        ),
        "crash",
    ),
    "recursion in Python": (calling("def g(): g()\ng()"), "exception"),
    "endless loop in Python": (calling("while True: pass"), "timeout"),
    "endless loop at import": ("while True: pass", "timeout"),
    "endless loop in C": (calling("sum(iter(int, 1))"), "timeout"),
    "a loop that ignores signals": (
        calling(
            "import signal\nfor s in signal.valid_signals():\n"
            "    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
            "while True: pass"
        ),
        "timeout",
    ),
    "a long sleep": (calling("import time; time.sleep(1000)"), "timeout"),
    "slow in every call": (calling("import time; time.sleep(0.7)"), "timeout"),
    "hanging __str__": (
        calling("class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E"),
        "timeout",
    ),
    "waits for input": (calling("input()"), "exception"),
    "memory in Python": (calling("x = [bytearray(1 << 26) for _ in range(10**4)]"), "memory"),
    "memory in torch": (calling("torch.zeros(1 << 40)"), "memory"),
    "thread bomb": (
        calling(
            "import threading, time\n"
            "for _ in range(10**5): threading.Thread(target=time.sleep, args=(99,)).start()"
        ),
        "exception",
    ),
    "fork": (calling("import os; os.fork()"), "exception"),
    "fork bomb in C": (
        calling("import ctypes\nif ctypes.CDLL(None).fork() != -1: raise SystemExit('forked')"),
        "ok",
    ),
    "output flood": (calling("while True: print('x' * 10**6)"), "output-flood"),
    "output flood on a raw descriptor": (
        calling("import os\nwhile True: os.write(2, b'x' * 10**6)"),
        "output-flood",
    ),
    "exception of 50 MB": (calling("raise ValueError('x' * 50_000_000)"), "exception"),
    "exception with markup and colours": (
        calling("raise ValueError('[/] [@click=app.quit]x[/] \\x1b[2J\\x1b]0;t\\x07 \\u202e')"),
        "exception",
    ),
    "exception whose name is a lie": (
        calling("raise type('AssertionError [bold]', (BaseException,), {})('passed')"),
        "exception",
    ),
    "exception that cannot be printed": (
        calling("class E(Exception):\n    def __str__(self): return 3\nraise E"),
        "exception",
    ),
}

REACHING_OUT = {
    "reads a file": calling("open('/etc/passwd')"),
    "stats a file": calling("import os; os.stat('/')"),
    "lists a folder": calling("import os; os.listdir('/')"),
    "walks up with pathlib": calling("import pathlib; list(pathlib.Path('.').iterdir())"),
    "the parent's memory": calling("import os; open(f'/proc/{os.getppid()}/mem', 'rb')"),
    "its own memory": calling("open('/proc/self/mem', 'rb')"),
    "a huge file": calling("open('/tmp/huge', 'wb').truncate(1 << 40)"),
    "writes a file": calling("open('/tmp/quizapp-was-here', 'w').write('x')"),
    "kills its parent": calling("import os; os.kill(os.getppid(), 9)"),
    "kills everybody": calling("import os; os.kill(-1, 9)"),
    "network": calling("import socket; socket.create_connection(('127.0.0.1', 9))"),
    "a Unix socket": calling("import socket; socket.socketpair()"),
    "exec": calling("import os; os.execv('/bin/true', ['true'])"),
    "subprocess": calling("import subprocess; subprocess.run(['true'])"),
    "os.system": calling("import os\nif os.system('true') != 0: raise OSError"),
    "a module from disk": calling("import idlelib"),
    "a module of ours from disk": calling("import quizapp.grader.judge.diagnosis"),
    "chdir": calling("import os; os.chdir('/')"),
    "a pipe": calling("import os; os.pipe()"),
    "raised limits": calling("import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))"),
}

#: Calls by number on x86-64, each of which must say EPERM.
RAW_CALLS = {
    "ptrace": 101, "process_vm_readv": 310, "openat": 257, "memfd_create": 319, "bpf": 321,
    "userfaultfd": 323, "io_uring_setup": 425, "pidfd_open": 434, "unshare": 272, "mount": 165,
    "setuid": 105, "keyctl": 250, "perf_event_open": 298, "shmget": 29, "msgget": 68,
    "execveat": 322, "prlimit64": 302, "setpriority": 141, "reboot": 169,
}  # fmt: skip

FORGERIES = {
    "a frame of rubbish": calling("import os; os.write(3, b'x' * 64)"),
    "a frame that claims much": calling(
        "import os, struct; os.write(3, struct.pack('<4sIQ', b'QZF1', 2, 1 << 60) + b'{}')"
    ),
    "an answer under another id": calling(
        "import os, struct, json\nh = json.dumps({'id': 1, 'results': []}).encode()\n"
        "os.write(3, struct.pack('<4sIQ', b'QZF1', len(h), 0) + h)"
    ),
    "deeply nested JSON": calling(
        "import os, struct\nh = b'[' * 60000\n"
        "os.write(3, struct.pack('<4sIQ', b'QZF1', len(h), 0) + h)"
    ),
    "its channel closed": calling("import os; os.close(3)"),
    "all descriptors closed": calling("import os; os.closerange(0, 16)"),
}

#: Right numbers are not sent, so none of this may pass.
LIES = {
    "an object equal to everything": (
        "class Any:\n    def __eq__(self, other): return True\n    __ne__ = lambda s, o: False\n"
        "    shape = property(lambda s: s)\n"
        "def scaled_dot_product_attention(*a): return Any(), Any()",
        "contract",
    ),
    "a tensor subclass that agrees with all": (
        WRONG.replace("def scaled_dot_product_attention", "def _wrong")
        + "class Yes(torch.Tensor):\n"
        "    @classmethod\n    def __torch_function__(cls, f, t, a=(), k=None):\n"
        "        with torch._C.DisableTorchFunctionSubclass():\n"
        "            return f(*a, **(k or {}))\n"
        "    def __eq__(self, other): return True\n    def allclose(self, *a): return True\n"
        "def scaled_dot_product_attention(*a):\n"
        "    o, w = _wrong(*a)\n    return o.as_subclass(Yes), w.as_subclass(Yes)\n",
        "wrong",
    ),
    "patched torch": (
        named("torch.allclose = torch.equal = torch.testing.assert_close = lambda *a, **k: True\n"),
        "wrong",
    ),
    "patched builtins": (
        named("import builtins\nbuiltins.all = lambda *a: True\nbuiltins.abs = lambda x: 0 * x\n"),
        "wrong",
    ),
    "patched pytest": (
        named(
            "import sys, types\nfor name in ('pytest', '_pytest', 'quizapp.grader.testing'):\n"
            "    m = types.ModuleType(name)\n    m.agree = m.main = lambda *a, **k: 0\n"
            "    sys.modules[name] = m\n"
        ),
        "wrong",
    ),
    "a patched worker": (
        named(
            "import sys\nw = sys.modules['quizapp.sandbox.worker']\n"
            "w._describe = lambda r: {'other': 'passed'}\n"
        ),
        "contract",
    ),
    "a walk through frames": (
        named(
            "import sys\nf = sys._getframe()\nwhile f:\n"
            "    for name in ('reference', 'expected', 'task', 'tests'):\n"
            "        if name in f.f_locals or name in f.f_globals: raise SystemExit('found')\n"
            "    f = f.f_back\n"
        ),
        "wrong",
    ),
    "a walk through the heap": (
        named(
            "import gc, sys, types\nfor o in gc.get_objects():\n"
            "    name = getattr(o, '__name__', '') if isinstance(o, types.ModuleType) else ''\n"
            "    if name in ('tests', 'pytest', 'textbook'):\n"
            "        raise SystemExit('found')\n"
            "if 'pytest' in sys.modules: raise SystemExit('found')\n"
        ),
        "wrong",
    ),
    "spoofed output": (
        named("print('{\"op\": \"grade\", \"id\": 0, \"verdict\": \"passed\", \"kind\": \"ok\"}')\n"
              "print('===== 15 passed in 0.01s =====')\n"),
        "wrong",
    ),
    "threads left behind": (
        named(
            "import threading, time\n"
            "def late():\n    while True: time.sleep(0.001)\n"
            "threading.Thread(target=late, daemon=True).start()\n"
        ),
        "wrong",
    ),
    "NaN everywhere": (
        "import torch\ndef scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    w = Q @ K.mT * float('nan')\n    return w @ V, w\n",
        "wrong",
    ),
    "a view of four tebibytes": (
        "import torch\ndef scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    return Q[:1, :1, :1, :1].expand(1 << 10, 1 << 10, 1 << 10, 1 << 10), Q\n",
        "wrong",
    ),
    "ten million outputs": (
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n    return [Q] * 10_000_000\n",
        "contract",
    ),
    "a single tensor": (RIGHT.replace(RETURN, "return weights @ V"), "contract"),
    "None": ("def scaled_dot_product_attention(*a): pass", "contract"),
    "numpy arrays": (
        RIGHT.replace(
            RETURN,
            "return (weights @ V).detach().numpy(), weights.detach().numpy()",
        ).replace("bfloat16", ""),
        "contract",
    ),
    "a homoglyph for a name": (
        RIGHT.replace("def scaled_dot", "def sc\N{CYRILLIC SMALL LETTER A}led_dot"),
        "missing-function",
    ),
    "state kept by shape": (
        RIGHT.replace("def scaled_dot_product_attention", "def _r")
        + "_kept = {}\ndef scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    key = (Q.shape, Q.dtype, mask is None, Q.requires_grad)\n"
        "    if key not in _kept: _kept[key] = _r(Q, K, V, mask)\n    return _kept[key]\n",
        "wrong",
    ),
    "inputs really changed": (
        RIGHT.replace(RETURN, "out = weights @ V\n    V.zero_()\n    return out, weights"),
        "mutates-input",
    ),
    "detached": (RIGHT.replace(RETURN, "return (weights @ V).detach(), weights"), "no-grad"),
    "a wrong backward": (
        RIGHT.replace(
            RETURN,
            "out = weights @ V\n    if out.requires_grad: out.register_hook(lambda g: 2 * g)\n"
            "    return out, weights",
        ),
        "wrong",
    ),
    "half precision inside": (
        RIGHT.replace("softmax(scores, dim=-1)", "softmax(scores.half(), -1).to(Q.dtype)"),
        "wrong",
    ),
    "default dtype changed": (
        RIGHT + "torch.set_default_dtype(torch.float64)\ntorch.set_num_threads(64)\n",
        "ok",
    ),
}  # fmt: skip


SHORTCUTS = {
    "by name": "o = torch.nn.functional.scaled_dot_product_attention(Q, K, V)",
    "by alias": "import torch.nn.functional as G\no = G.scaled_dot_product_attention(Q, K, V)",
    "by from-import": "from torch.nn.functional import scaled_dot_product_attention as s\n"
    "s(Q, K, V)",
    "by getattr": "getattr(torch.nn.functional, 'scaled_dot_' + 'product_attention')(Q, K, V)",
    "by operator": "getattr(torch.ops.aten, 'scaled_dot_' + 'product_attention')(Q, K, V)",
    "swallowed": "try: getattr(torch._C._nn, 'scaled_dot_' + 'product_attention')(Q, K, V)\n"
    "except Exception: pass",
    "by jit": "torch.jit.trace(getattr(torch.nn.functional, 'scaled_dot_' + 'product_attention'), "
    "(Q, K, V))",
    "by the module": "torch.nn.MultiheadAttention(6, 2)",
}

SOURCES: dict[str, tuple[str | bytes, str]] = {
    "a syntax error": ("def f(:", "syntax"),
    "a NUL byte": (RIGHT + "\0", "syntax"),
    "bad UTF-8": (RIGHT.encode() + b"# \xff\xfe", "syntax"),
    "an unknown coding": (b"# -*- coding: klingon -*-\n" + RIGHT.encode(), "syntax"),
    "deep nesting": ("x = " + "(" * 5000 + ")" * 5000, "syntax"),
    "deep operators": ("x = " + "-" * 500_000 + "1", "syntax"),
    "a long chain of attributes": ("x = a" + ".b" * 100_000, "syntax"),
    "nothing": ("", "missing-function"),
    "another name": (RIGHT.replace("scaled_dot", "scaled"), "missing-function"),
    "a number under the name": ("scaled_dot_product_attention = 3", "missing-function"),
    "an unindented block": ("def f():\nreturn 1", "syntax"),
    "a null byte path": ("import os; os.stat('\\0')", "exception"),
    "a module that is not there": ("import einops", "exception"),
}

HONEST: dict[str, str | bytes] = {
    "as it stands": RIGHT,
    "a BOM": b"\xef\xbb\xbf" + RIGHT.encode(),
    "CRLF": RIGHT.replace("\n", "\r\n"),
    "tabs": RIGHT.replace("    ", "\t"),
    "a latin-1 cookie": b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + RIGHT.encode(),
    "non-contiguous results": RIGHT.replace(
        RETURN,
        "out = (weights @ V).mT.contiguous().mT\n    return out, weights.mT.contiguous().mT",
    ),
    "debug prints with brackets": RIGHT.replace(
        "    weights =", "    print('[scores]', scores.shape, '[/bold] [x[0]]')\n    weights ="
    ),
    "a main guard": RIGHT + "\nif __name__ == '__main__':\n    input('> ')\n",
    "helper classes": "from dataclasses import dataclass\nfrom typing import NamedTuple, Optional\n"
    "@dataclass\nclass Config:\n    dim: int = -1\n"
    "class Out(NamedTuple):\n    o: object\n    w: object\n"
    + RIGHT.replace("dim=-1", "dim=Config().dim").replace(
        RETURN, "return Out(weights @ V, weights)"
    ),
    "other parameter names": RIGHT.replace("Q", "query").replace("K", "key").replace("V", "v"),
    "a list for the tuple": RIGHT.replace(
        RETURN, "return [weights @ V, weights]"
    ),
    "a finite fill": RIGHT.replace('float("-inf")', "-1e9"),
    "numpy for the square root": RIGHT.replace("import math", "import numpy as np").replace(
        "math.sqrt", "np.sqrt"
    ),
    "einsum": RIGHT.replace(
        "Q @ K.transpose(-2, -1)", "torch.einsum('bhqd,bhkd->bhqk', Q, K)"
    ),
    "an nn.Module": "import math, torch\nfrom torch import nn\n"
    "class ScaledDotProductAttention(nn.Module):\n"
    "    def __init__(self, d_k):\n"
    "        super().__init__()\n        self.scale = 1 / math.sqrt(d_k)\n"
    "    def forward(self, Q, K, V, mask=None):\n"
    "        s = Q @ K.mT * self.scale\n"
    "        if mask is not None:\n            s = s.masked_fill(mask == 0, float('-inf'))\n"
    "        w = s.softmax(-1)\n        return w @ V, w\n",
    "threads that end": RIGHT
    + "import threading\nt = threading.Thread(target=print)\nt.start(); t.join()\n",
    "random numbers of its own": RIGHT + "torch.manual_seed(1)\ntorch.rand(3)\n",
}  # fmt: skip
