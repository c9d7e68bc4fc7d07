"""How the command ends when something is wrong, and what it prints then."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import weakref
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from kubewright.cli import main
from kubewright.cli.errors import WrongUse, one_sentence
from kubewright.cli.program import Program
from kubewright.machinery.errors import ParseError
from tests.server.processes import COMMAND, PATIENCE

SECRET = "Bearer t0ken"  # noqa: S105 - of nobody


@click.command()
@click.argument("what")
def fail(what: str) -> None:
    """Go wrong in some way."""
    if what == "told":
        with one_sentence():
            raise ParseError("two\n lines")
    if what == "wrong use":
        with one_sentence(WrongUse):
            raise ParseError("a bad name")
    if what.startswith("usage "):
        raise click.UsageError(what.removeprefix("usage "))
    if what == "timeout":
        with one_sentence():
            raise TimeoutError
    if what == "question":
        click.confirm("Really?", abort=True)
    if what.startswith("lost "):
        passing = click.Context(fail)
        watched = weakref.ref(passing, lambda _: signal.raise_signal(int(what.removeprefix("lost "))))
        del passing
        assert watched() is None
    if what == "wait" or what.startswith("lost "):
        try:
            click.echo("waiting")
            signal.pause()
        finally:
            click.echo("cleaned up")
    raise ERRORS[what]


ERRORS: dict[str, BaseException] = {
    "untold": ParseError("not told\nby the command"),
    "group": ExceptionGroup("tasks", [ExceptionGroup("more", [ParseError("the first")]), OSError("other")]),
    "file": FileNotFoundError(errno.ENOENT, "No such file", "here.yaml"),
    "stream": OSError(errno.ENOSPC, "No space left"),
    "socket": OSError(errno.EADDRINUSE, "address already in use"),
    "escapes": ParseError("the server says \x1b]0;mine\x07 and \x9b2J"),
    "folder": FileNotFoundError(errno.ENOENT, "No such file or directory"),
    "bug": ValueError(f"invalid header {SECRET}"),
    "interrupt": KeyboardInterrupt(),
    "exit": SystemExit(7),
}

PROGRAM = Program("kubewright", sections={"Tests": {"fail": (f"{__name__}:fail", "Go wrong.")}})


def ended(what: str, *, given: str | None = None, **environment: str) -> Result:
    return CliRunner().invoke(PROGRAM, ["fail", what], input=given, env=environment)


@pytest.mark.parametrize(
    ("what", "code", "told"),
    [
        ("told", 1, "two lines"),
        ("wrong use", 2, "a bad name"),
        ("untold", 1, "not told by the command"),
        ("group", 1, "the first"),
        ("file", 1, "No such file: here.yaml; name another path"),
        ("stream", 1, "No space left: standard output; name another path"),
        ("socket", 1, "address already in use"),
        ("escapes", 1, r"the server says \x1b]0;mine\x07 and \x9b2J"),
        ("folder", 1, "the present folder was deleted; go to another one"),
    ],
)
def test_what_is_foreseen_is_one_sentence(what: str, code: int, told: str) -> None:
    found = ended(what)
    assert (found.exit_code, found.stdout, found.stderr) == (code, "", f"Error: {told}\n")


def test_a_bug_is_one_sentence_without_what_may_be_secret() -> None:
    for what, name in (("bug", "ValueError"), ("timeout", "TimeoutError")):
        found = ended(what)
        assert (found.exit_code, found.stdout) == (1, "")
        (line,) = found.stderr.splitlines()
        assert line.startswith(f"Error: unexpected {name}")
        assert line.endswith(
            "which is a bug of kubewright; report it, with what KUBEWRIGHT_TRACEBACK=1 shows"
        )
        assert SECRET not in line


def test_the_traceback_comes_when_it_is_asked_for() -> None:
    for what in ("bug", "untold", "told"):
        lines = ended(what, KUBEWRIGHT_TRACEBACK="1").stderr.splitlines()
        assert lines[0] == "Traceback (most recent call last):"
        assert any(line.lstrip().startswith(f'File "{__file__}"') for line in lines)
        assert lines[-1].startswith("Error: ")
        assert len(ended(what, KUBEWRIGHT_TRACEBACK="0").stderr.splitlines()) == 1
    assert "ParseError: two" in ended("told", KUBEWRIGHT_TRACEBACK="1").stderr
    assert "Traceback" not in ended("no such argument, and more", KUBEWRIGHT_TRACEBACK="").stderr


def test_wrong_use_says_where_to_read_unless_it_says_what_to_do() -> None:
    for what, told in (
        ("choose one; not both", "choose one; not both"),
        ("Wrong option.", "Wrong option; see `kubewright fail --help`"),
        ("Did you mean 'a'?", "Did you mean 'a'?"),
        ("Choose:\n\ta,\n\tb", "Choose: a, b; see `kubewright fail --help`"),
    ):
        found = ended(f"usage {what}")
        assert (found.exit_code, found.stderr) == (2, f"Error: {told}\n")


def test_the_exit_code_of_a_command_stays() -> None:
    assert ended("exit").exit_code == 7


def test_an_interrupt_prints_a_newline_and_nothing_else() -> None:
    found = ended("interrupt")
    assert (found.exit_code, found.output) == (130, "\n")


def test_an_interrupt_when_click_has_done_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Group, "main", interrupted)
    assert ended("interrupt").exit_code == 130


def test_a_question_that_nobody_answers() -> None:
    found = ended("question", given="")
    assert found.exit_code == 1
    assert found.stderr.splitlines()[-1] == (
        "Error: standard input ended before there was an answer; give it by an option"
    )
    found = ended("question", given="n\n")
    assert (found.exit_code, found.stdout) == (1, "Really? [y/N]: n\n")


def test_callers_of_their_own_get_what_click_raises() -> None:
    with pytest.raises(click.UsageError):
        main(["nosuch"], standalone_mode=False)
    assert main(["--version"], standalone_mode=False) == 0


class TestColour:
    def test_on_a_terminal_alone(self) -> None:
        terminal, other = os.openpty()
        try:
            subprocess.run(
                [COMMAND, "nosuch"],
                check=False,
                stderr=other,
                timeout=PATIENCE,
                env={name: value for name, value in os.environ.items() if name != "NO_COLOR"}
                | {"TERM": "xterm"},
            )
            printed = os.read(terminal, 4096)
        finally:
            os.close(other)
            os.close(terminal)
        assert printed.startswith(b"\x1b[31m\x1b[1mError:\x1b[0m there is no command")

    @pytest.mark.parametrize(
        ("environment", "coloured"),
        [
            ({"FORCE_COLOR": "1"}, True),
            ({"FORCE_COLOR": ""}, False),
            ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
            ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
            ({"FORCE_COLOR": "1", "TERM": "dumb"}, False),
        ],
    )
    def test_when_it_is_asked_for(self, environment: dict[str, str], coloured: bool) -> None:
        clean = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm"}
        found = CliRunner().invoke(main, ["nosuch"], env={**clean, **environment})
        assert found.stderr.startswith("\x1b[31m" if coloured else "Error: ")


class TestProcesses:
    @pytest.mark.parametrize(
        ("number", "told"), [(signal.SIGINT, b"\n"), (signal.SIGTERM, b"")], ids=["Ctrl-C", "SIGTERM"]
    )
    def test_signals(self, number: signal.Signals, told: bytes) -> None:
        """With a shell's exit codes and no traceback; and what commands do at their end is done."""
        program = f"import sys; sys.argv[1:] = ['fail', 'wait']; from {__name__} import PROGRAM; PROGRAM()"
        with subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A shell that starts this in the background has it ignored, and children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"waiting\n"
            process.send_signal(number)
            printed, complaints = process.communicate(timeout=PATIENCE)
        assert (process.returncode, printed, complaints) == (128 + number, b"cleaned up\n", told)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
    def test_signals_that_come_where_python_throws_errors_away(self, number: signal.Signals) -> None:
        arguments = ["fail", f"lost {int(number)}"]
        program = f"import sys; sys.argv[1:] = {arguments}; from {__name__} import PROGRAM; PROGRAM()"
        found = subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[2],
            check=False,
            capture_output=True,
            timeout=PATIENCE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert found.returncode == 128 + number
        assert b"Exception" not in found.stderr

    def test_a_reader_that_wants_no_more(self) -> None:
        """As in `kubewright --help | true`."""
        reading, writing = os.pipe()
        os.close(reading)
        try:
            found = subprocess.run(
                [COMMAND, "--help"], check=False, stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE
            )
        finally:
            os.close(writing)
        assert (found.returncode, found.stderr) == (1, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_an_output_that_takes_nothing(self) -> None:
        with Path("/dev/full").open("wb") as full:
            found = subprocess.run(
                [COMMAND, "version"], check=False, stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE
            )
        told = b"Error: No space left on device: standard output; name another path\n"
        assert (found.returncode, found.stderr) == (1, told)
