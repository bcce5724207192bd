"""The real yaml-language-server over LSP: what an author's editor shows of a bank file.

It comes from npm and is no dependency: tests skip where it is absent. Set
`QUIZAPP_YAML_SERVER` to its path, or have `yaml-language-server` on PATH.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

#: Seconds after which the server is taken to have hung.
PATIENCE = 60


def server() -> str | None:
    """The command that starts the server; None where there is none."""
    return os.environ.get("QUIZAPP_YAML_SERVER") or shutil.which("yaml-language-server")


class YamlServer:
    """One running server, and the one document at a time that an editor shows."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in: IO[bytes] = process.stdin
        self._inbox: queue.Queue[dict[str, Any]] = queue.Queue()
        self._number = self._opened = 0
        self._uris: dict[Path, str] = {}
        threading.Thread(target=self._listen, args=(process.stdout,), daemon=True).start()

    def start(self, settings: dict[str, Any]) -> None:
        """Shake hands; `settings` are those of the section `yaml`."""
        self._settings = settings
        self._ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": {
                    "textDocument": {"hover": {"contentFormat": ["markdown"]}},
                    "workspace": {"configuration": True},
                },
            },
        )
        self._tell("initialized", {})
        self._tell("workspace/didChangeConfiguration", {"settings": {"yaml": settings}})

    def problems(self, file: Path, text: str | None = None) -> list[tuple[int, str]]:
        """Open `file`, as it is or with `text` in it: every squiggle, (line from 1, message)."""
        words = file.read_text(encoding="utf-8") if text is None else text
        # A name of its own each time: what is told of an earlier text cannot be taken for this.
        self._opened += 1
        uri = self._uris[file] = file.with_name(f"{self._opened}-{file.name}").as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": words}
        self._tell("textDocument/didOpen", {"textDocument": document})
        while True:
            message = self._next()
            if message.get("method") == "textDocument/publishDiagnostics":
                found = message["params"]
                if found["uri"] == uri:
                    return [
                        (one["range"]["start"]["line"] + 1, one["message"])
                        for one in found["diagnostics"]
                    ]

    def completions(self, file: Path, line: int, column: int) -> dict[str, str]:
        """What is offered at a place (from 1) of the open file: label → its explanation."""
        answer = self._ask("textDocument/completion", self._place(file, line, column))
        items = answer["items"] if isinstance(answer, dict) else answer
        return {item["label"]: _words(item.get("documentation")) for item in items}

    def hover(self, file: Path, line: int, column: int) -> str:
        """What is shown over a place (from 1) of the open file."""
        answer = self._ask("textDocument/hover", self._place(file, line, column))
        return "" if answer is None else _words(answer["contents"])

    def stop(self) -> None:
        """End the conversation."""
        self._ask("shutdown", None)
        self._tell("exit", None)

    # --- the wire --------------------------------------------------------------------

    def _place(self, file: Path, line: int, column: int) -> dict[str, Any]:
        position = {"line": line - 1, "character": column - 1}
        return {"textDocument": {"uri": self._uris[file]}, "position": position}

    def _ask(self, method: str, params: Any) -> Any:
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def _tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._in.flush()

    def _next(self) -> dict[str, Any]:
        """The next message; what the server asks of an editor is answered on the way."""
        while True:
            message = self._inbox.get(timeout=PATIENCE)
            if "method" not in message or "id" not in message:
                return message
            result: Any = None
            if message["method"] == "workspace/configuration":
                wanted = [item.get("section") for item in message["params"]["items"]]
                result = [self._settings if name == "yaml" else {} for name in wanted]
            self._send({"id": message["id"], "result": result})

    def _listen(self, out: IO[bytes]) -> None:
        while header := out.readline():
            if not header.lower().startswith(b"content-length:"):
                continue
            size = int(header.split(b":")[1])
            while out.readline().strip():  # other headers, then the blank line
                pass
            self._inbox.put(json.loads(out.read(size)))


def _words(told: Any) -> str:
    if isinstance(told, dict):
        return str(told["value"])
    return "" if told is None else str(told)


@contextmanager
def running(command: str, **settings: Any) -> Iterator[YamlServer]:
    """The server, started and ended."""
    process = subprocess.Popen([command, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        made = YamlServer(process)
        made.start({"validate": True, "hover": True, "completion": True, **settings})
        yield made
        made.stop()
        process.wait(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
