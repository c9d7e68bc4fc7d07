"""Logs: what records carry inside a reconcile, and how they are written."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.client import Client
from kubewright.controllers import logs
from kubewright.controllers.cache import Cache
from kubewright.controllers.context import Context
from kubewright.controllers.failures import FIRST, Failures
from kubewright.controllers.manager import Manager
from kubewright.controllers.outcomes import Outcome, outcome_of
from kubewright.controllers.reconciling import RECONCILING, Reconciling
from kubewright.controllers.reporting import RECONCILES, report
from kubewright.controllers.requests import Request, Result, Terminal
from kubewright.machinery.errors import Conflict
from kubewright.machinery.printable import printable
from kubewright.machinery.status import Status
from kubewright.models.core_v1 import ConfigMap, Secret
from tests.controllers.running import config_map, managed, on_a_cluster, until

OTHER = logging.getLogger("some.library")

THIS = Reconciling("shop", "example.com", "Shop", "default", "tea", "0123456789abcdef")

KEYS = {"controller", "controllerGroup", "controllerKind", "namespace", "name", "reconcileID"}


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """The root logger is everybody's."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    logs.configure()
    for handler in [each for each in root.handlers if each not in handlers]:
        root.removeHandler(handler)
    root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_records_of_a_reconcile_say_which_whoever_makes_them() -> None:
    async def deeper() -> None:
        OTHER.warning("in a task of a task")

    async def in_a_task() -> None:
        OTHER.warning("in a task")
        await asyncio.create_task(deeper())

    async def test(client: Client) -> None:
        done: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            OTHER.warning("by another logger")
            ctx.log.warning("by its own", extra={"replicas": 3})
            await asyncio.create_task(in_a_task())
            await asyncio.to_thread(OTHER.warning, "in a thread")
            done.append(ctx.reconcile_id)

        for name in "ab":
            await client.api(ConfigMap, "default").create(config_map(name))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile, workers=2)):
            await until(lambda: len(done) == 2, "both are reconciled")
        OTHER.warning("outside")
        records = [each for each in lines(stream) if each["level"] == "warn"]
        assert len(records) == 11
        assert not KEYS & records[-1].keys()
        of = {each["reconcileID"]: each["name"] for each in records[:-1]}
        assert of.keys() == set(done)
        assert sorted(map(str, of.values())) == ["a", "b"]
        for identity, name in of.items():
            mine = [each for each in records if each.get("reconcileID") == identity]
            assert [each["msg"] for each in mine] == [
                *("by another logger", "by its own", "in a task", "in a task of a task", "in a thread"),
            ]
            for each in mine:
                assert {key: each[key] for key in KEYS} == {
                    "controller": "configmap",
                    "controllerGroup": "",
                    "controllerKind": "ConfigMap",
                    "namespace": "default",
                    "name": name,
                    "reconcileID": identity,
                }
            assert mine[1]["replicas"] == 3

    stream = io.StringIO()
    logs.configure(format="json", stream=stream)
    on_a_cluster(test)


def test_what_fails_is_logged_with_error_and_trace() -> None:
    async def test(client: Client) -> None:
        async def reconcile(ctx: Context, request: Request) -> None:
            if request.name == "wrong":
                raise Terminal("it cannot be")
            raise OSError("the disk is full")

        def failures() -> list[dict[str, object]]:
            return [each for each in lines(stream) if each["level"] == "error"]

        for name in ("wrong", "failing"):
            await client.api(ConfigMap, "default").create(config_map(name))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(
                lambda: {each["name"] for each in failures()} == {"wrong", "failing"}, "both have failed"
            )
        by_name = {each["name"]: each for each in failures()}
        assert by_name["failing"]["error"] == "OSError: the disk is full"
        assert "OSError: the disk is full" in str(by_name["failing"]["stacktrace"])
        assert by_name["wrong"]["error"] == "it cannot be"
        assert "stacktrace" not in by_name["wrong"]

    stream = io.StringIO()
    logs.configure(format="json", stream=stream)
    on_a_cluster(test)


def test_an_informer_that_a_reconcile_starts_is_not_part_of_it() -> None:
    async def test(client: Client) -> None:
        seen: list[Reconciling | None] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            await ctx.client.api(Secret, "default").get("s")
            (informer,) = caches[0].running(Secret.gvk)
            informer.on_change(lambda change: seen.append(RECONCILING.get()))

        caches: list[Cache] = []
        await client.api(Secret, "default").create({"metadata": {"name": "s"}})
        await client.api(ConfigMap, "default").create(config_map("a"))

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile)
            caches.append(manager._clusters.own.cache)

        async with managed(client, set_up):
            await until(lambda: seen, "the handler is told")
        assert seen == [None]

    on_a_cluster(test)


def record(level: int, text: str, *args: object, **attributes: object) -> logging.LogRecord:
    made = logging.LogRecord("a.logger", level, "f.py", 1, text, args, None)
    made.created = 1_700_000_000.1239
    made.__dict__.update(attributes)
    return made


def test_a_line_for_people() -> None:
    text = logs.TextFormatter()
    assert (
        text.format(record(logging.INFO, "%d sold", 3)) == "2023-11-14T22:13:20.123Z INFO     a.logger 3 sold"
    )
    inside = record(logging.WARNING, "low", stock=2, **THIS.extra())
    assert text.format(inside) == (
        "2023-11-14T22:13:20.123Z WARNING  shop default/tea 0123456789abcdef low stock=2"
    )
    assert logs.TextFormatter(colour=True).format(record(logging.ERROR, "x")) == (
        "2023-11-14T22:13:20.123Z \x1b[31mERROR   \x1b[0m a.logger x"
    )
    assert logs.TextFormatter(colour=True).format(record(logging.INFO, "x")).endswith("INFO     a.logger x")
    # What others wrote does not steer the terminal.
    assert text.format(record(logging.INFO, "a\x1b[2Jb\r")).endswith(r"a\x1b[2Jb\x0d")
    assert text.format(record(logging.INFO, "a\x9b2J")).endswith(r"a\x9b2J")
    named = record(logging.INFO, "b", **{**THIS.extra(), "object": "a\x1b[2J"})
    assert r" a\x1b[2J " in text.format(named)


def test_a_brief_line_for_who_looks_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        line = logs.TextFormatter(brief=True).format(record(logging.WARNING, "low", **THIS.extra()))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert line == "03:43:20.123 WARNING  shop default/tea 01234567 low"


OUTCOMES: list[tuple[object, float, float | None, str]] = [
    (None, 0.0124, None, "reconciled in 12 ms"),
    (None, 0.00042, None, "reconciled in 0.4 ms"),
    (Result(requeue_after=30), 1.5, 30, "reconciled in 1.5 s, again in 30 s"),
    (Result(requeue_after=5400), 300, 5400, "reconciled in 5 min, again in 90 min"),
    (OSError("full"), 0.5, 0.005, "failed in 500 ms: OSError: full; it is tried again in 5.0 ms"),
    (OSError("full"), 0.5, None, "failed in 500 ms: OSError: full"),
    (Terminal("no"), 0.5, None, "failed in 500 ms and is not retried: no"),
    (Conflict(Status()), 0.02, 10_800, "has changed meanwhile (in 20 ms); it is looked at again in 3 h"),
]


@pytest.mark.parametrize(("returned", "took", "again", "told"), OUTCOMES)
def test_how_a_reconcile_ended(returned: object, took: float, again: float | None, told: str) -> None:
    text, machine = io.StringIO(), io.StringIO()
    outcome = outcome_of(returned)
    for stream, form in ((text, "text"), (machine, "json")):
        logs.configure(format=form, stream=stream, level=f"warning,{RECONCILES}=debug")  # type: ignore[arg-type]
        report(outcome, THIS, duration=took, again=again)
        OTHER.info("not shown")
    level = "ERROR   " if outcome.is_failure else "DEBUG   "
    assert text.getvalue().splitlines()[0][25:] == f"{level} shop default/tea 0123456789abcdef {told}"
    (line,) = lines(machine)
    expected = {"msg": told, "result": outcome.kind.value, "duration": took, "name": "tea"}
    assert expected.items() <= line.items()
    assert line.get("requeueAfter") == again
    assert (line.get("error"), "stacktrace" in line) == (
        outcome.shown if outcome.is_failure else None,
        isinstance(returned, OSError),
    )


def test_other_programs_lines_say_which_object_it_was(caplog: pytest.LogCaptureFixture) -> None:
    report(outcome_of(OSError("full")), THIS, duration=0.5, again=1)
    assert [each.getMessage() for each in caplog.records] == [
        "shop: default/tea failed in 500 ms: OSError: full; it is tried again in 1 s"
    ]


def test_successes_are_for_those_who_look_closely() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)
    report(outcome_of(None), THIS, duration=0.5, again=None)
    assert stream.getvalue() == ""


def test_loggers_may_have_levels_of_their_own_until_it_is_configured_again() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream, level="some.library=debug, error")
    OTHER.debug("shown")
    logging.getLogger("another").warning("not shown")
    logs.configure(stream=stream, level="info")
    OTHER.debug("not shown")
    assert re.fullmatch(r"\S+Z DEBUG    some.library shown\n", stream.getvalue())
    assert OTHER.level == logging.NOTSET


def test_a_trace_follows_its_line() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)
    error = OSError("full")
    OTHER.error("it failed", exc_info=error)
    first, second = stream.getvalue().splitlines()
    assert first.endswith("ERROR    some.library it failed")
    assert second == "    OSError: full"


def raised(message: str, *, deep: bool = False) -> OSError:
    def fail() -> None:
        raise OSError(message)

    def deeper() -> None:
        fail()

    try:
        (deeper if deep else fail)()
    except OSError as error:
        return error
    raise AssertionError


def test_a_trace_is_told_when_it_is_new_for_its_object() -> None:
    text, machine = io.StringIO(), io.StringIO()
    failures, ended = Failures(), outcome_of
    rows = [
        (ended(raised("full")), "tea", True),
        (ended(raised("full, for the second time")), "tea", False),
        (ended(Conflict(Status())), "tea", False),
        (ended(raised("full")), "tea", False),
        (ended(raised("full")), "milk", True),
        (ended(raised("full", deep=True)), "tea", True),
        (ended(raised("full", deep=True)), "tea", False),
        (ended(None), "tea", False),
        (ended(raised("full", deep=True)), "tea", True),
        (ended(Result(requeue_after=1)), "tea", False),
        (ended(raised("full", deep=True)), "tea", True),
    ]
    for outcome, name, is_told in rows:
        failure = failures.after(Request("default", name), outcome)
        this = THIS._replace(name=name)
        for stream, form in ((text, "text"), (machine, "json")):
            stream.seek(0)
            stream.truncate()
            logs.configure(format=form, stream=stream, level="debug")  # type: ignore[arg-type]
            report(outcome, this, duration=0.5, again=1, failure=failure)
        assert len(text.getvalue().splitlines()) > 1 if is_told else text.getvalue().count("\n") == 1
        assert ("stacktrace" in lines(machine)[0]) is outcome.is_failure
    assert len(failures._last) == 2
    assert failures.after(Request("default", "tea"), outcome_of(None)) == FIRST
    assert failures.after(Request("default", "milk"), outcome_of(Terminal("no"))) == FIRST
    assert not failures._last


def test_failures_are_counted() -> None:
    stream, failures = io.StringIO(), Failures()
    logs.configure(format="json", stream=stream)
    for _ in range(3):
        outcome = outcome_of(raised("full"))
        report(outcome, THIS, duration=0.5, again=2, failure=failures.after(Request("", "tea"), outcome))
    assert [(each["msg"], each["failures"]) for each in lines(stream)] == [
        ("failed in 500 ms: OSError: full; it is tried again in 2 s", 1),
        ("failed in 500 ms: OSError: full; it is tried again in 2 s, after 2 failures", 2),
        ("failed in 500 ms: OSError: full; it is tried again in 2 s, after 3 failures", 3),
    ]


def test_what_a_group_has_tells_it_from_others() -> None:
    def group(*errors: Exception) -> Outcome:
        return outcome_of(ExceptionGroup("some", errors))

    failures, key = Failures(), Request("", "tea")
    for outcome, is_repeated in (
        (group(raised("a"), ValueError("b")), False),
        (group(raised("c"), ValueError("d")), True),
        (group(raised("a"), TypeError("b")), False),
        (group(raised("a", deep=True), TypeError("b")), False),
        (group(*[ValueError("b")] * 100_000), False),
    ):
        assert failures.after(key, outcome).is_repeated is is_repeated
    endless = ValueError("a")
    endless.__cause__ = OSError("b")
    endless.__cause__.__cause__ = endless
    assert not failures.after(key, outcome_of(endless)).is_repeated
    assert failures.after(key, outcome_of(endless)).is_repeated
    caused = ValueError("a")
    caused.__cause__ = KeyError("c")
    assert not failures.after(key, outcome_of(caused)).is_repeated


FORGED = "2023-11-14T22:13:20.123Z INFO     shop default/tea all is well"


@given(st.text() | st.just(f"no\n{FORGED}"), st.text() | st.just(f"x\r\n{FORGED}"))
def test_no_text_makes_a_line_of_its_own(text: str, other: str) -> None:
    made = record(logging.ERROR, "%s", text, said=other, **{**THIS.extra(), "object": other})
    assert len(logs.TextFormatter().format(made).splitlines()) == 1
    made.exc_info = (OSError, OSError(text), None)
    made.stack_info = other
    first, *below = logs.TextFormatter().format(made).splitlines()
    assert first.startswith("2023-11-14T22:13:20.123Z ERROR ")
    assert below
    assert all(line.startswith("    ") for line in below)
    written = logs.JsonFormatter().format(made)
    assert len(written.splitlines()) == 1
    assert printable(written) == written
    read = json.loads(written)
    # What no UTF-8 can have is replaced.
    assert (read["msg"], read["said"]) == tuple(
        each.encode("utf-8", "replace").decode() for each in (text, other)
    )


def test_whatever_is_logged_is_a_line_of_json() -> None:
    line = logs.JsonFormatter()
    strange = record(
        logging.CRITICAL,
        "two\nlines \ud800",
        given=object(),
        many={1, 2},
        pairs={(1, 2): 3},
        number=float("nan"),
        ts="another",
    )
    written = line.format(strange)
    assert "\n" not in written
    read = json.loads(written)
    assert (read["level"], read["ts"], read["logger"]) == ("critical", "2023-11-14T22:13:20.123Z", "a.logger")
    assert read["msg"] == "two\nlines ?"
    endless: list[object] = []
    endless.append(endless)
    assert json.loads(line.format(record(logging.INFO, "x", endless=endless)))["endless"] == "[[...]]"


def test_what_a_record_carries_already_stays() -> None:
    token = RECONCILING.set(THIS)
    try:
        made = record(logging.INFO, "x", object="another/one")
        assert logs.ReconcileFilter().filter(made)
    finally:
        RECONCILING.reset(token)
    assert made.__dict__["object"] == "another/one"
    assert made.__dict__["controller"] == "shop"


class Terminal80(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for stream, coloured in ((Terminal80(), True), (io.StringIO(), False)):
        logs.configure(stream=stream)
        OTHER.error("x")
        assert ("\x1b" in stream.getvalue()) is coloured
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal80()
    logs.configure(stream=stream)
    OTHER.error("x")
    assert "\x1b" not in stream.getvalue()


def test_configuring_again_replaces_its_own_handler_only() -> None:
    root = logging.getLogger()
    before = list(root.handlers)
    first, second = io.StringIO(), io.StringIO()
    logs.configure(stream=first)
    logs.configure(stream=second, level="warning")
    assert [each for each in root.handlers if each in before] == before
    OTHER.info("not from this level on")
    OTHER.warning("once")
    assert first.getvalue() == ""
    assert re.fullmatch(r"\S+Z WARNING  some.library once\n", second.getvalue())


def test_options_that_are_none() -> None:
    with pytest.raises(ValueError, match=r"""format is 'xml'; write "text" or "json\""""):
        logs.configure(format="xml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="level is 'loud'; write one of CRITICAL, "):
        logs.configure(level="loud")
    with pytest.raises(ValueError, match=r"level is ''; write one of .*, or such as info,some.logger=debug"):
        logs.configure(level="info,some.logger=")
