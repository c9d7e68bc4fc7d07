"""Logs: what records carry inside a reconcile, and how they are written."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
from collections.abc import Iterator

import pytest

from kubewright.client.client import Client
from kubewright.controllers import logs
from kubewright.controllers.cache import Cache
from kubewright.controllers.context import Context
from kubewright.controllers.manager import Manager
from kubewright.controllers.reconciling import RECONCILING, Reconciling
from kubewright.controllers.requests import Request, Terminal
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
    root.setLevel(level)
    for handler in [each for each in root.handlers if each not in handlers]:
        root.removeHandler(handler)


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
        assert by_name["failing"]["error"] == "the disk is full"
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
            caches.append(manager._cache)

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


def test_a_trace_follows_its_line() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)
    error = OSError("full")
    OTHER.error("it failed", exc_info=error)
    first, second = stream.getvalue().splitlines()
    assert first.endswith("ERROR    some.library it failed")
    assert second == "OSError: full"


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
