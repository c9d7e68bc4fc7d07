"""Commands in containers that pretend: those that annotations have answers to, and a few that people type.

No program runs. A command that is neither ends with 127, and says how to have an answer ready for it.
"""

from __future__ import annotations

import asyncio
import posixpath
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from kubewright.cluster.kubelet.answers import ANY, CannedAnswer
from kubewright.cluster.kubelet.script import PREFIX
from kubewright.cluster.kubelet.surroundings import Surroundings
from kubewright.cluster.kubelet.typed_into import SHELLS
from kubewright.server.handlers.subresources.kubelets import CommandStreams

__all__ = ["INTERRUPTED", "NOT_FOUND", "run_command"]

NOT_FOUND: Final = 127
"""What shells end with when there is no such command."""

INTERRUPTED: Final = 130
"""And when it was interrupted: 128 and SIGINT."""

_USAGE: Final = 2
"""And when they were not understood."""

_SHOWN: Final = 100
"""How many characters of a command are shown in the answer to it."""

_SLEEP: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)([smhd]?)")
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST_SLEEP: Final = 10 * 365 * 86400.0
"""In seconds; event loops cannot wait for ever."""

Command = Callable[[Surroundings, Sequence[str], CommandStreams], Awaitable[int]]


async def run_command(around: Surroundings, command: Sequence[str], streams: CommandStreams) -> int:
    """Run a command to its end; its exit code."""
    answers = around.script.answers
    canned = answers.get(" ".join(" ".join(command).split())) or answers.get(ANY)
    if canned is not None:
        return await _answer(canned, streams)
    name, arguments = posixpath.basename(command[0]), command[1:]
    if name in SHELLS:
        from kubewright.cluster.kubelet.shell import run_shell  # noqa: PLC0415 - it runs commands itself

        return await run_shell(around, name, arguments, streams)
    known = _COMMANDS.get(name)
    if known is not None:
        return await known(around, arguments, streams)
    shown = command[0][:_SHOWN]
    await _complain(streams, f"sh: {shown}: not found")
    await _complain(
        streams,
        f"This container is pretended and runs no programs; have an answer ready by the annotation "
        f'{PREFIX}exec: \'{{"{" ".join(command)[:_SHOWN]}": "its output\\n"}}\'',
    )
    return NOT_FOUND


async def _answer(canned: CannedAnswer, streams: CommandStreams) -> int:
    if canned.after:
        await asyncio.sleep(canned.after)
    await streams.write(canned.stdout.encode())
    await streams.write_error(canned.stderr.encode())
    return canned.exit_code


async def _complain(streams: CommandStreams, text: str) -> None:
    await streams.write_error(f"{text}\n".encode(errors="replace"))


async def _echo(_: Surroundings, arguments: Sequence[str], streams: CommandStreams) -> int:
    plain = bool(arguments) and arguments[0] == "-n"
    text = " ".join(arguments[1:] if plain else arguments)
    await streams.write(f"{text}{'' if plain else chr(10)}".encode(errors="replace"))
    return 0


async def _cat(around: Surroundings, arguments: Sequence[str], streams: CommandStreams) -> int:
    code = 0
    for path in [each for each in arguments if each == "-" or not each.startswith("-")] or ["-"]:
        if path == "-":
            while data := await streams.read():
                await streams.write(data)
            continue
        text = around.files.get(around.path(path))
        if text is None:
            why = "Is a directory" if around.is_folder(around.path(path)) else "No such file or directory"
            await _complain(streams, f"cat: {path}: {why}")
            code = 1
        else:
            await streams.write(text.encode())
    return code


async def _ls(around: Surroundings, arguments: Sequence[str], streams: CommandStreams) -> int:
    code = 0
    for path in [each for each in arguments if not each.startswith("-")] or ["."]:
        whole = around.path(path)
        if whole in around.files:
            await streams.write(f"{path}\n".encode())
        elif around.is_folder(whole):
            await streams.write("".join(f"{each}\n" for each in around.names_in(whole)).encode())
        else:
            await _complain(streams, f"ls: {path}: No such file or directory")
            code = 1
    return code


async def _env(around: Surroundings, arguments: Sequence[str], streams: CommandStreams) -> int:
    if arguments:
        await _complain(streams, "env: this container is pretended: env shows, and runs nothing")
        return _USAGE
    lines = [f"{name}={value}\n" for name, value in around.variables.items()]
    await streams.write("".join(lines).encode(errors="replace"))
    return 0


async def _printenv(around: Surroundings, arguments: Sequence[str], streams: CommandStreams) -> int:
    if not arguments:
        return await _env(around, (), streams)
    found = [around.variables[each] for each in arguments if each in around.variables]
    await streams.write("".join(f"{each}\n" for each in found).encode(errors="replace"))
    return 0 if len(found) == len(arguments) else 1


async def _hostname(around: Surroundings, _: Sequence[str], streams: CommandStreams) -> int:
    await streams.write(f"{around.hostname}\n".encode())
    return 0


async def _id(around: Surroundings, arguments: Sequence[str], streams: CommandStreams) -> int:
    user, group = around.user, around.group
    if "-u" in arguments:
        told = str(user)
    elif "-g" in arguments:
        told = str(group)
    else:
        named = [f"{number}(root)" if number == 0 else str(number) for number in (user, group)]
        told = f"uid={named[0]} gid={named[1]} groups={named[1]}"
    await streams.write(f"{told}\n".encode())
    return 0


async def _whoami(around: Surroundings, _: Sequence[str], streams: CommandStreams) -> int:
    if around.user:
        await _complain(streams, f"whoami: unknown uid {around.user}")
        return 1
    await streams.write(b"root\n")
    return 0


async def _pwd(around: Surroundings, _: Sequence[str], streams: CommandStreams) -> int:
    await streams.write(f"{around.folder}\n".encode())
    return 0


async def _true(_: Surroundings, __: Sequence[str], ___: CommandStreams) -> int:
    return 0


async def _false(_: Surroundings, __: Sequence[str], ___: CommandStreams) -> int:
    return 1


async def _sleep(_: Surroundings, arguments: Sequence[str], streams: CommandStreams) -> int:
    seconds = 0.0
    for each in arguments:
        match = _SLEEP.fullmatch(each)
        if match is None and each != "infinity":
            await _complain(streams, f"sleep: invalid number '{each[:_SHOWN]}'")
            return 1
        seconds += float("inf") if match is None else float(match[1]) * _SECONDS[match[2]]
    await asyncio.sleep(min(seconds, _LONGEST_SLEEP))
    return 0


async def _tar(_: Surroundings, __: Sequence[str], streams: CommandStreams) -> int:
    """Says what to do instead, for those who come by `kubectl cp`, which runs it."""
    await _complain(
        streams,
        "tar: this container is pretended, so that nothing can be copied to or from it; name the files that "
        f"it is to have by the annotation {PREFIX}files, and read them by kubectl exec POD -- cat FILE",
    )
    return NOT_FOUND


async def _date(_: Surroundings, __: Sequence[str], streams: CommandStreams) -> int:
    await streams.write(datetime.now(UTC).strftime("%a %b %e %H:%M:%S UTC %Y\n").encode())
    return 0


_COMMANDS: Final[Mapping[str, Command]] = {
    "cat": _cat,
    "date": _date,
    "echo": _echo,
    "env": _env,
    "false": _false,
    "hostname": _hostname,
    "id": _id,
    "ls": _ls,
    "printenv": _printenv,
    "pwd": _pwd,
    "sleep": _sleep,
    "tar": _tar,
    "true": _true,
    "whoami": _whoami,
}
