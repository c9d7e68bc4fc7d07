"""Commands in containers that pretend."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from kubewright.cluster.kubelet.executions import execute
from kubewright.cluster.kubelet.script import PREFIX, Role, script_of
from kubewright.models.core_v1 import Pod


class Streams:
    """The streams of a command, with all its input at once or as a test types it."""

    def __init__(self, stdin: bytes = b"", *, tty: bool = False) -> None:
        self._input: asyncio.Queue[bytes] = asyncio.Queue()
        self.has_stdin = True
        self.tty = tty
        self.out = b""
        self.errors = b""
        self.shown = asyncio.Event()
        if not tty:
            self.type(stdin)
            self.type(b"")

    def type(self, data: bytes) -> None:
        self._input.put_nowait(data)

    async def read(self) -> bytes:
        return await self._input.get()

    async def write(self, data: bytes) -> None:
        self.out += data
        self.shown.set()

    async def write_error(self, data: bytes) -> None:
        self.errors += data
        self.shown.set()

    async def until(self, text: bytes) -> None:
        async with asyncio.timeout(60):
            while not self.out.endswith(text):
                self.shown.clear()
                await self.shown.wait()


def pod(**container: Any) -> Pod:
    return Pod.from_dict(
        {
            "metadata": {"name": "web-0", "namespace": "shop"},
            "spec": {"containers": [{"name": "main", "image": "i", **container}], "nodeName": "node-1"},
            "status": {"podIP": "10.0.1.2"},
        }
    )


def started(streams: Streams, *command: str, script: dict[str, str], container: dict[str, Any]) -> Any:
    annotations = {PREFIX + name: text for name, text in script.items()}
    read, problems = script_of(annotations, "main", Role(initializes=False, restarts=True))
    assert problems == []
    of = pod(**container)
    return execute(of, of.spec.containers[0], read, command, streams)


def run(*command: str, stdin: bytes = b"", script: dict[str, str] | None = None, **container: Any) -> Any:
    """The outputs and the exit code of a command."""

    async def ran() -> tuple[str, str, int]:
        streams = Streams(stdin)
        async with asyncio.timeout(60):
            code = await started(streams, *command, script=script or {}, container=container)
        return streams.out.decode(), streams.errors.decode(), code

    return asyncio.run(ran())


@pytest.mark.parametrize(
    ("command", "out"),
    [
        ("echo hi there", "hi there\n"),
        ("/bin/echo -n hi", "hi"),
        ("hostname", "web-0\n"),
        ("id", "uid=0(root) gid=0(root) groups=0(root)\n"),
        ("id -u", "0\n"),
        ("whoami", "root\n"),
        ("pwd", "/\n"),
        ("true", ""),
        ("sleep 0", ""),
        ("cat /etc/hostname", "web-0\n"),
        ("cat /etc/hosts", "127.0.0.1\tlocalhost\n10.0.1.2\tweb-0\n"),
        ("cat /var/run/secrets/kubernetes.io/serviceaccount/namespace", "shop"),
        ("ls /etc", "hostname\nhosts\n"),
        ("printenv HOSTNAME", "web-0\n"),
    ],
)
def test_what_people_type_first(command: str, out: str) -> None:
    assert run(*command.split()) == (out, "", 0)


def test_failures() -> None:
    assert run("false")[2] == 1
    assert run("cat", "/nope") == ("", "cat: /nope: No such file or directory\n", 1)
    assert run("cat", "/etc") == ("", "cat: /etc: Is a directory\n", 1)
    assert run("ls", "/nope") == ("", "ls: /nope: No such file or directory\n", 1)
    assert run("sleep", "long") == ("", "sleep: invalid number 'long'\n", 1)
    assert run("printenv", "NOPE") == ("", "", 1)


def test_an_unknown_command_says_how_to_have_an_answer() -> None:
    out, errors, code = run("nginx", "-t")
    assert (out, code) == ("", 127)
    first, hint = errors.splitlines()
    assert first == "sh: nginx: not found"
    assert f"""{PREFIX}exec: '{{"nginx -t": "its output\\n"}}'""" in hint


def test_whoever_copies_is_told_what_to_do_instead() -> None:
    out, errors, code = run("tar", "cf", "-", "/etc/hosts")
    assert (out, code) == ("", 127)
    (told,) = errors.splitlines()
    assert told.startswith("tar: this container is pretended, so that nothing can be copied to or from it")
    assert f"by the annotation {PREFIX}files" in told
    assert run("tar", "cf", "-", "/d", script={"exec": '{"tar cf - /d": "ready"}'})[0] == "ready"


def test_the_input_of_cat() -> None:
    assert run("cat", stdin=b"a\nb") == ("a\nb", "", 0)
    assert run("cat", "-", "/etc/hostname", stdin=b"x")[0] == "xweb-0\n"


def test_the_variables_of_a_container() -> None:
    env = [
        {"name": "LEVEL", "value": "debug"},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "SECRET", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
    ]
    out, _, code = run("env", env=env)
    assert code == 0
    assert {"LEVEL=debug", "NODE=node-1", "HOSTNAME=web-0"} <= set(out.splitlines())
    assert "SECRET" not in out


def test_who_a_container_runs_as() -> None:
    context = {"runAsUser": 1000, "runAsGroup": 3000}
    assert run("id", securityContext=context)[0] == "uid=1000 gid=3000 groups=3000\n"
    assert run("whoami", securityContext=context)[1:] == ("whoami: unknown uid 1000\n", 1)
    assert run("pwd", workingDir="/srv")[0] == "/srv\n"


ANSWERS = """
psql  -c 'select 1': "1\\n"
nginx -t: {stdout: out, stderr: err, exitCode: 3}
echo hi: canned
"""


def test_answers_that_are_ready() -> None:
    script = {"exec": ANSWERS}
    assert run("psql", "-c", "'select 1'", script=script) == ("1\n", "", 0)
    assert run("nginx", "-t", script=script) == ("out", "err", 3)
    assert run("echo", "hi", script=script) == ("canned", "", 0)
    assert run("echo", "ho", script=script) == ("ho\n", "", 0)
    assert run("sh", "-c", "nginx -t; echo $?", script=script) == ("out3\n", "err", 0)
    assert run("echo", "ho", script={"exec": '{"*": {"exitCode": 9}}'}) == ("", "", 9)


def test_an_answer_that_takes_its_time() -> None:
    began = time.monotonic()
    assert run("slow", script={"exec": '{"slow": {"stdout": "x", "after": "300ms"}}'}) == ("x", "", 0)
    assert time.monotonic() - began >= 0.3


def test_files_that_are_ready() -> None:
    script = {"files": '{"/etc/app/app.conf": "level: debug\\n"}'}
    assert run("cat", "/etc/app/app.conf", script=script) == ("level: debug\n", "", 0)
    assert run("ls", "/etc", script=script)[0] == "app\nhostname\nhosts\n"
    assert run("sh", "-c", "cd /etc/app && pwd && cat app.conf ../hostname", script=script)[0] == (
        "/etc/app\nlevel: debug\nweb-0\n"
    )


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ("exec", "nonsense"),
        ("exec", "{"),
        ("exec", '{"a": 1}'),
        ("exec", '{"a": {"output": "x"}}'),
        ("exec", '{"a": {"exitCode": 256}}'),
        ("exec", '{"a": {"after": "soon"}}'),
        ("files", '{"relative": "x"}'),
        ("files", '{"/a": 1}'),
        ("log-every", "1ms"),
        ("log-every", "often"),
    ],
)
def test_annotations_that_cannot_be_read(annotation: str, text: str) -> None:
    script, problems = script_of({PREFIX + annotation: text}, "main", Role(initializes=False, restarts=True))
    assert script == script_of({}, "main", Role(initializes=False, restarts=True))[0]
    (problem,) = problems
    assert problem.startswith(f"the annotation {PREFIX}{annotation} is {text!r}, which is no ")


@pytest.mark.parametrize(
    ("script", "out", "errors", "code"),
    [
        ("echo a; echo b", "a\nb\n", "", 0),
        ("echo 'a  b' \"c $HOSTNAME\" $HOSTNAME\\ x", "a  b c web-0 web-0 x\n", "", 0),
        ("echo '$HOSTNAME'", "$HOSTNAME\n", "", 0),
        ("false && echo a || echo b", "b\n", "", 0),
        ("true || echo a", "", "", 0),
        ("exit 3; echo a", "", "", 3),
        ("echo oops >&2; exit 7", "", "oops\n", 7),
        ("cat /nope 2>/dev/null; echo $?", "1\n", "", 0),
        ("cat /nope 2>&1", "cat: /nope: No such file or directory\n", "", 1),
        ("echo a | cat", "a\n", "", 0),
        ("X=1; echo ${X}2", "12\n", "", 0),
        ("X=1 printenv X; printenv X", "1\n", "", 1),
        ("export X=1; printenv X", "1\n", "", 0),
        ("set -e; false; echo a", "", "", 1),
        ("set -e; false || true; echo a", "a\n", "", 0),
        ("echo a # b\necho c", "a\nc\n", "", 0),
        ("echo a; cd /nope", "a\n", "sh: cd: can't cd to /nope: No such file or directory\n", 2),
        ('echo $NOPE a ""', "a \n", "", 0),
        ("", "", "", 0),
        ("for x in a; do echo $x; done", "", "sh: a pretended shell knows no for\n", 2),
        ("echo $(id)", "", "sh: a pretended shell knows no $(\n", 2),
        ("echo a > /file", "", "sh: a pretended shell knows no >\n", 2),
        ("echo a |", "", 'sh: syntax error: unexpected ";"\n', 2),
        ("echo 'a", "", "sh: syntax error: unterminated quoted string\n", 2),
    ],
)
def test_scripts(script: str, out: str, errors: str, code: int) -> None:
    assert run("sh", "-c", script) == (out, errors, code)


def test_a_script_from_stdin() -> None:
    assert run("sh", stdin=b"echo a\necho 'b\nc'\nfalse") == ("a\nb\nc\n", "", 1)
    assert run("bash", stdin=b"exit 4\necho a\n") == ("", "", 4)
    assert run("sh", "-c", "echo $0 $1", "x", "y")[0] == "x y\n"
    assert run("sh", "script.sh")[2] == 2


def test_a_shell_to_type_into() -> None:
    async def typed() -> None:
        streams = Streams(tty=True)
        running = asyncio.create_task(started(streams, "sh", script={}, container={}))
        await streams.until(b"/ # ")
        streams.type(b"echo hx\x7fi\x1b[A\r")
        await streams.until(b"echo hx\b \bi\r\nhi\r\n/ # ")
        streams.type(b"sleep 1000\r")
        await streams.until(b"sleep 1000\r\n")
        streams.type(b"\x03")
        await streams.until(b"^C\r\n/ # ")
        streams.type(b"nonsense\x03")
        await streams.until(b"nonsense^C\r\n/ # ")
        streams.type(b"cat\rx\r\x04")
        await streams.until(b"x\r\nx\r\n/ # ")
        streams.type(b"false\r\x04")
        assert await asyncio.wait_for(running, 60) == 1

    asyncio.run(typed())


def test_a_command_at_a_terminal_is_interrupted() -> None:
    async def typed() -> None:
        streams = Streams(tty=True)
        running = asyncio.create_task(started(streams, "sleep", "1000", script={}, container={}))
        streams.type(b"\x03")
        assert await asyncio.wait_for(running, 60) == 130

    asyncio.run(typed())


def test_words_of_a_shell_do_not_grow_without_end() -> None:
    """A variable that is doubled forty times would need more memory than there is."""
    out, errors, code = run("sh", "-c", "a=xxxxxxxxxxxxxxxx; " + "a=$a$a; " * 40 + "echo done")
    assert (out, code) == ("done\n", 0)
    assert set(errors.splitlines()) == {"sh: a pretended shell has no words of more than 131072 characters"}
    doubled = "a=xxxxxxxxxxxxxxxx; " + "a=$a$a; " * 12
    out, errors, code = run("sh", "-c", doubled + "echo" + " $a" * 3)
    assert (out, code) == ("", 2)
    assert errors == "sh: a pretended shell has no commands of more than 131072 characters\n"
    kept = "; ".join(f"b{number}=$a" for number in range(30))
    out, errors, code = run("sh", "-c", f"{doubled}{kept}; echo $?; b=short true; echo $?")
    assert out == "2\n2\n"
    assert set(errors.splitlines()) == {"sh: a pretended shell's variables have 1048576 characters at most"}


def test_variables_of_one_command_count_for_that_alone() -> None:
    long = "x" * 10_000
    out, errors, code = run("sh", stdin=f"a={long}\n".encode() + b"b=$a$a$a$a true\n" * 100 + b"echo $?\n")
    assert (out, errors, code) == ("0\n", "", 0)


def test_a_number_that_is_none_is_told_at_once() -> None:
    began = time.monotonic()
    _, errors, code = run("sleep", "1" * 60_000 + "x")
    assert (code, errors[:30]) == (1, "sleep: invalid number '1111111")
    assert time.monotonic() - began < 20  # it was minutes


@pytest.mark.parametrize(("text", "code"), [("0.001", 0), (".001s", 0), ("1.", 1), (".", 1), ("0m", 0)])
def test_how_long_sleep_sleeps(text: str, code: int) -> None:
    assert run("sleep", text)[2] == code
