"""A small shell for containers that pretend: `sh -c`, scripts from stdin, and one to type into."""

from __future__ import annotations

import asyncio
import re
from collections import ChainMap
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from kubewright.cluster.kubelet.commands import run_command
from kubewright.cluster.kubelet.shell_words import (
    LONGEST_WORD,
    Incomplete,
    NotUnderstood,
    Pipeline,
    Simple,
    Word,
    parse,
)
from kubewright.cluster.kubelet.surroundings import Surroundings
from kubewright.cluster.kubelet.terminal import Terminal
from kubewright.server.handlers.subresources.kubelets import CommandStreams

__all__ = ["run_shell"]

_SYNTAX: Final = 2
"""What shells end with when they do not understand."""

_MAX_SCRIPT: Final = 64 << 10
"""The longest script, in characters: nobody types more."""

_MAX_PIPED: Final = 1 << 20
"""How many bytes go through a pipe; the rest is cut off."""

_MAX_VARIABLES: Final = 1 << 20
"""How many characters the variables of a shell may have altogether."""

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")


class _Exit(Exception):
    """The shell ends."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code: Final = code


class _Pipe:
    """Takes what a command writes, and is what the next one reads."""

    def __init__(self, before: CommandStreams) -> None:
        self._before: Final = before
        self._data = bytearray()
        self.has_stdin: Final = True
        self.tty: Final = False

    async def read(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        return data

    async def write(self, data: bytes) -> None:
        self._data += data[: _MAX_PIPED - len(self._data)]

    async def write_error(self, data: bytes) -> None:
        await self._before.write_error(data)


class _Redirected:
    """The streams of one command in a pipeline."""

    def __init__(
        self, source: CommandStreams, sink: CommandStreams, outputs: Sequence[tuple[int, str]]
    ) -> None:
        self._source: Final = source
        self._writers: Final[dict[int, Callable[[bytes], Awaitable[None]]]] = {
            1: sink.write,
            2: sink.write_error,
        }
        for channel, target in outputs:
            self._writers[channel] = _nowhere if target == "/dev/null" else self._writers[int(target[1])]
        self.has_stdin: Final = source.has_stdin
        self.tty: Final = source.tty

    async def read(self) -> bytes:
        return await self._source.read()

    async def write(self, data: bytes) -> None:
        await self._writers[1](data)

    async def write_error(self, data: bytes) -> None:
        await self._writers[2](data)


async def _nowhere(_: bytes) -> None:
    """What /dev/null does."""


async def run_shell(
    around: Surroundings, name: str, arguments: Sequence[str], streams: CommandStreams
) -> int:
    """Run a shell to its end; its exit code."""
    shell = _Shell(around, name, streams)
    words = list(arguments)
    while words and words[0] in {"-l", "-i", "-e", "-x", "--login"}:
        shell.stops_at_failures = words.pop(0) == "-e" or shell.stops_at_failures
    if not words:
        return await shell.converse()
    if words[0] in {"-c", "-ec", "-lc", "-xc"} and len(words) > 1:
        shell.stops_at_failures = "e" in words[0] or shell.stops_at_failures
        around.variables.update({str(number): word for number, word in enumerate(words[2:])})
        return await shell.run_all(words[1])
    await shell.complain(f"a pretended shell runs no {words[0][:100]}; say -c and a script")
    return _SYNTAX


class _Shell:
    def __init__(self, around: Surroundings, name: str, streams: CommandStreams) -> None:
        self._around: Final = around
        self._name: Final = name
        self._streams: Final = streams
        self._code = 0
        self._assigned = 0
        """How many characters its variables have got, or a few more."""
        self.stops_at_failures = False

    async def complain(self, text: str) -> None:
        await self._streams.write_error(f"{self._name}: {text}\n".encode(errors="replace"))

    async def converse(self) -> int:
        """Run lines as they come, until there are no more."""
        script, prompts = "", isinstance(self._streams, Terminal)
        rest = b""
        while True:
            if prompts:
                await self._streams.write(b"> " if script else f"{self._around.folder} # ".encode())
            data = await self._streams.read()
            if not data and prompts:
                await self._streams.write(b"\n")
            lines = (rest + data).splitlines(keepends=True)
            rest = lines.pop() if data and lines and not lines[-1].endswith(b"\n") else b""
            for line in lines:
                script += line.decode(errors="replace")
                try:
                    done = await self._run_line(script)
                except _Exit as ended:
                    return ended.code
                script = "" if done else script
            if not data:
                return self._code
            if len(script) + len(rest) > _MAX_SCRIPT:
                await self.complain("the script is too long for a pretended shell")
                return _SYNTAX

    async def run_all(self, script: str) -> int:
        """Run a whole script; its exit code."""
        try:
            if not await self._run_line(script):
                await self.complain("syntax error: unterminated quoted string")
                return _SYNTAX
        except _Exit as ended:
            return ended.code
        return self._code

    async def _run_line(self, script: str) -> bool:
        """Whether the script is complete, and has run. Raises _Exit."""
        try:
            pipelines = parse(script)
        except Incomplete:
            # What is read so far is read again with each line: others shall have their turns in between.
            await asyncio.sleep(0)
            return False
        except NotUnderstood as error:
            await self.complain(str(error))
            self._code = _SYNTAX
            return True
        for number, each in enumerate(pipelines):
            if (each.after == "&&" and self._code) or (each.after == "||" and not self._code):
                continue
            try:
                await self._run_in_foreground(each)
            except NotUnderstood as error:
                await self.complain(str(error))
                self._code = _SYNTAX
            checked = number + 1 < len(pipelines) and pipelines[number + 1].after != ";"
            if self._code and self.stops_at_failures and not checked:
                raise _Exit(self._code)
        return True

    async def _run_in_foreground(self, pipeline: Pipeline) -> None:
        if isinstance(self._streams, Terminal):
            self._code = await self._streams.run(self._pipeline(pipeline))
        else:
            self._code = await self._pipeline(pipeline)

    async def _pipeline(self, pipeline: Pipeline) -> int:
        # One after the other: none of the commands that there are writes for ever.
        source, code = self._streams, 0
        for number, each in enumerate(pipeline.commands):
            last = number + 1 == len(pipeline.commands)
            sink = self._streams if last else _Pipe(self._streams)
            code = await self._simple(each, _Redirected(source, sink, each.outputs))
            source = sink
            # So that a long script does not hold up everybody else.
            await asyncio.sleep(0)
        return code

    async def _simple(self, command: Simple, streams: CommandStreams) -> int:
        words = list(command.words)
        assigned: dict[str, str] = {}
        while words and (match := _assignment(words[0])):
            value = self._expanded(words.pop(0))
            assigned[match] = value.partition("=")[2]
        texts, size = [], 0
        for each in words:
            if (text := self._expanded(each)) or each.quoted:
                texts.append(text)
                size += len(text)
            if size > LONGEST_WORD:
                raise NotUnderstood(
                    f"a pretended shell has no commands of more than {LONGEST_WORD} characters"
                )
        if not texts:
            self._assign(assigned)
            return 0
        return await self._run(texts, assigned, streams)

    async def _run(self, words: list[str], assigned: dict[str, str], streams: CommandStreams) -> int:
        around = self._around
        match words:
            case ["exit", *rest]:
                raise _Exit(_exit_code(rest[0]) if rest else self._code)
            case [":", *_] | ["export"]:
                return 0
            case ["set", *options]:
                self.stops_at_failures = "-e" in options or "-eu" in options or self.stops_at_failures
                return 0
            case ["export", *names]:
                self._assign(dict(each.partition("=")[::2] for each in names if "=" in each))
                return 0
            case ["cd", *where]:
                return await self._change_folder(where[0] if where else around.variables["HOME"], streams)
            case ["exec", *rest] if rest:
                words = rest
        before, size = dict(around.variables), self._assigned
        try:
            self._assign(assigned)
            return await run_command(around, words, streams)
        finally:
            if assigned:
                around.variables.clear()
                around.variables.update(before)
                self._assigned = size

    async def _change_folder(self, where: str, streams: CommandStreams) -> int:
        path = self._around.path(where)
        if not self._around.is_folder(path) and path != self._around.variables["HOME"]:
            told = f"{self._name}: cd: can't cd to {where}: No such file or directory\n"
            await streams.write_error(told.encode(errors="replace"))
            return _SYNTAX
        self._around.folder = path
        return 0

    def _assign(self, values: Mapping[str, str]) -> None:
        """Set variables. Raises NotUnderstood when they get too long."""
        variables = self._around.variables
        for name, value in values.items():
            self._assigned += len(name) + len(value) - len(variables.get(name, ""))
            if self._assigned > _MAX_VARIABLES:
                raise NotUnderstood(f"a pretended shell's variables have {_MAX_VARIABLES} characters at most")
            variables[name] = value

    def _expanded(self, word: Word) -> str:
        special = {"?": str(self._code), "$": "1", "#": "0"}
        return word.expanded(ChainMap(special, self._around.variables))


def _exit_code(text: str) -> int:
    return int(text) % 256 if text.isascii() and text.isdigit() and len(text) < 10 else _SYNTAX


def _assignment(word: Word) -> str:
    """The variable that a word sets, if it does."""
    first, replaced = word.parts[0] if word.parts else ("", False)
    match = _ASSIGNMENT.match(first) if replaced else None
    return match[1] if match is not None else ""
