"""Two outcomes as lines, and what stands in one of them alone."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.cluster.normalise import Outcome

__all__ = ["assert_same", "differences", "lines_of"]


def assert_same(embedded: Outcome, real: Outcome) -> None:
    """Fails with the lines that differ: `-` is what the real cluster has, `+` what the embedded one has."""
    found = differences(embedded, real)
    if found:
        text = "\n".join(found)
        raise AssertionError(f"the embedded cluster (+) differs from the real one (-):\n{text}")


def differences(embedded: Outcome, real: Outcome) -> list[str]:
    """The lines of either alone, each with the object and the path of its value; none when they are equal."""
    compared = difflib.unified_diff(lines_of(real), lines_of(embedded), lineterm="", n=0)
    return [line for line in compared if not line.startswith(("---", "+++", "@@"))]


def lines_of(outcome: Outcome) -> list[str]:
    """`Pod web-*[2] status.phase: 'Pending'`: a line for each value, and one for each event.

    Objects of one name are numbered.
    """
    lines = [
        f"{kind} {title} {line}"
        for kind, objects in outcome.items()
        if kind != "Event"
        for title, each in _titled(objects)
        for line in _flat(each, "")
    ]
    return lines + [_event_line(each) for each in outcome.get("Event", [])]


def _event_line(event: dict[str, Any]) -> str:
    """As `kubectl describe` shows it, and who sent it."""
    sender = f"component={event['component']!r} reporting={event['reportingComponent']!r}"
    action = f" action={event['action']!r}" if event["action"] else ""
    count = f" count={event['count']}" if "count" in event else ""
    about = f"{event['type']} {event['reason']} {event['object']}"
    return f"Event {about} {sender}{action}{count}: {event['message']}"


def _titled(objects: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    seen: Counter[str] = Counter()
    for each in objects:
        name = each["metadata"]["name"]
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name}[{seen[name]}]"), each


def _flat(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            inner = f"[{key}]" if "." in key or "/" in key else key
            yield from _flat(value[key], f"{path}.{inner}" if path else inner)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            # Conditions, containers and the like are found by what they are called.
            called = item.get("type") or item.get("name") if isinstance(item, dict) else None
            yield from _flat(item, f"{path}[{called or number}]")
    else:
        yield f"{path}: {value!r}"
