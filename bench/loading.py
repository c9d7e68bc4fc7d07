"""The load on a server: a Go program, so that what is measured is the server and not the client."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench.servers import Target

__all__ = ["build_load", "send_load"]


def build_load(folder: Path) -> Path:
    """The program, built into a folder."""
    program = folder / "load"
    sources = Path(__file__).parent / "load"
    subprocess.run([str(shutil.which("go")), "build", "-o", str(program), "."], cwd=sources, check=True)
    return program


def send_load(
    program: Path,
    target: Target,
    what: str,
    *arguments: str,
    body: dict[str, object] | None = None,
    h2: bool = False,
) -> dict[str, float]:
    """Send requests and return what was measured; see the program."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(body, file)
        file.flush()
        command = [
            str(program),
            "-url",
            target.url,
            "-ca",
            target.ca,
            "-cert",
            target.cert,
            "-key",
            target.key,
        ]
        command += [*arguments, "-body", file.name, *(["-h2"] if h2 else []), what]
        done = subprocess.run(command, check=True, capture_output=True, timeout=600)
    result: dict[str, float] = json.loads(done.stdout)
    return result
