"""What two clusters made of the same manifests, without what differs between any two runs.

Names keep their meaning: a generated suffix becomes `*`, a uid becomes the name of its object, the test's
namespace becomes `<namespace>`. Times, revisions and addresses become a word that says that they are there.
Nothing here asks a server.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

__all__ = ["Normaliser", "Outcome", "Plain", "normalise"]

Plain: TypeAlias = dict[str, Any]
"""An object as JSON has it."""

Outcome: TypeAlias = dict[str, list[Plain]]
"""Normalised objects by kind, each list in an order of its own; kinds without objects are not there."""

_SUFFIX: Final = "[bcdfghjklmnpqrstvwxz2456789]{5}"
"""What generateName appends: five characters without vowels and without 0, 1 and 3 (apimachinery's rand)."""

_UID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_CERTIFICATE: Final = "-----BEGIN CERTIFICATE-----"
_COMBINED: Final = "(combined from similar events): "
"""How the message begins of an event that stands for several, by client-go's correlator."""

_GENERATING: Final = ("ReplicaSet", "ReplicationController", "Job", "DaemonSet")
"""Kinds whose pods are called by their name and a generated suffix."""

_DROPPED_METADATA: Final = ("uid", "resourceVersion", "managedFields", "selfLink", "namespace")
_DROPPED_ANNOTATIONS: Final = ("kubectl.kubernetes.io/last-applied-configuration",)
_SORTED: Final = ("conditions", "ownerReferences", "finalizers")
"""Lists whose order is that of the writes that made them."""

_UNDER_WAY: Final = frozenset({"NewReplicaSetCreated", "ReplicaSetUpdated"})
"""Reasons of a Deployment that progresses. Which of the two a real one says is a matter of time: of whether
its first status after the creation conflicts with what it has written just before."""

_HASH_LABEL: Final = "pod-template-hash"
_SCALED: Final = re.compile(r"(?:\(combined from similar events\): )?Scaled \w+ replica set \S+-(\w+) from")
"""What a Deployment's event says of its ReplicaSet, which ends with the hash."""


@dataclass(frozen=True)
class Normaliser:
    """What a comparison wants to see."""

    namespace: str
    hashes: bool = False
    """Keep pod-template-hash as it is; else it becomes `<hash 1>` for the oldest ReplicaSet, and so on.

    Upstream's is that of a text that Go prints of a struct in memory; the API says nothing of its value.
    """
    managers: bool = False
    """Keep who owns fields (manager, operation, subresource), without when and which."""
    counts: bool = False
    """Keep how often events happened; else several alike are one."""
    ignored_events: Collection[str] = ()
    """Reasons of events, and components, of which nothing is wanted."""
    ignored_names: Collection[str] = ()
    """Objects that are not looked at."""


def normalise(objects: Iterable[Plain], how: Normaliser) -> Outcome:
    """The objects of a namespace, events among them, as what equals that of another run.

    The objects are not changed. Two runs that did the same give equal outcomes, and whatever else differs
    is a difference in what the clusters did.
    """
    given = [each for each in objects if each["metadata"]["name"] not in how.ignored_names]
    text = _replacer(given, how)
    outcome: Outcome = {}
    events: list[Plain] = []
    for each in given:
        if each["kind"] == "Event":
            events.append(_event(each, text, how))
        else:
            outcome.setdefault(each["kind"], []).append(_object(each, text, how))
    kept = [event for event in events if not _ignored(event, how)]
    if kept:
        outcome["Event"] = kept if how.counts else _distinct(kept)
    return {kind: sorted(outcome[kind], key=repr) for kind in sorted(outcome)}


def _object(each: Plain, text: Callable[[str], str], how: Normaliser) -> Plain:
    metadata = {key: value for key, value in each["metadata"].items() if key not in _DROPPED_METADATA}
    annotations = {
        key: value
        for key, value in metadata.get("annotations", {}).items()
        if key not in _DROPPED_ANNOTATIONS
    }
    metadata.pop("annotations", None)
    if annotations:
        metadata["annotations"] = annotations
    if how.managers:
        metadata["managers"] = sorted(
            {
                f"{entry.get('manager')} {entry.get('operation')} {entry.get('subresource', '')}".strip()
                for entry in each["metadata"].get("managedFields", [])
            }
        )
    rest = {key: value for key, value in each.items() if key != "metadata"}
    normal: Plain = {"metadata": _value(metadata, text), **_value(rest, text)}
    if each["kind"] == "Deployment":
        for condition in normal.get("status", {}).get("conditions", []):
            if condition.get("reason") in _UNDER_WAY:
                condition["reason"] = condition["message"] = "<under way>"
    return normal


def _value(value: Any, text: Callable[[str], str], key: str = "") -> Any:
    if isinstance(value, str):
        return "<resourceVersion>" if key == "resourceVersion" else text(value)
    if isinstance(value, dict):
        return {text(name): _value(inner, text, name) for name, inner in value.items()}
    if isinstance(value, list):
        items = [_value(inner, text) for inner in value]
        return sorted(items, key=_order) if key in _SORTED else items
    return value


def _order(item: Any) -> str:
    return str(item.get("type", "")) + repr(item) if isinstance(item, dict) else repr(item)


def _event(each: Plain, text: Callable[[str], str], how: Normaliser) -> Plain:
    message = each.get("message", "")
    component = each.get("source", {}).get("component", "")
    reporting = each.get("reportingComponent", "")
    if message.startswith(_COMBINED):
        message = message.removeprefix(_COMBINED)
        # client-go leaves it out of combined events alone; which events are combined is a matter of time.
        reporting = reporting or component
    subject = each["involvedObject"]
    event: Plain = {
        "type": each.get("type", ""),
        "reason": each.get("reason", ""),
        "object": text(f"{subject.get('kind', '')}/{subject.get('name', '')}"),
        "message": text(message),
        "component": component,
        "reportingComponent": reporting,
        "action": each.get("action", ""),
    }
    if how.counts:
        series = each.get("series") or {}
        event["count"] = series.get("count") or each.get("count") or 1
    return event


def _ignored(event: Plain, how: Normaliser) -> bool:
    names = {event["reason"], event["component"], event["reportingComponent"]} - {""}
    return not names.isdisjoint(how.ignored_events)


def _distinct(events: Sequence[Plain]) -> list[Plain]:
    return list({repr(event): event for event in events}.values())


def _replacer(objects: Sequence[Plain], how: Normaliser) -> Callable[[str], str]:
    """What becomes of any text: of names, uids and times, and of messages that have them in them."""
    names = _generated_names(objects)
    uids = {uid: names(name) for uid, name in _uids(objects).items()}
    hashes = {} if how.hashes else _hashes(objects)
    namespace = re.compile(rf"(?<![\w.-]){re.escape(how.namespace)}(?![\w-])")

    def uid(found: re.Match[str]) -> str:
        return f"<uid of {uids[found[0]]}>" if found[0] in uids else "<uid>"

    def text(value: str) -> str:
        if _is_address(value):
            return "<address>"
        if value.startswith(_CERTIFICATE):
            return "<certificates>"
        value = _UID.sub(uid, value)
        value = _TIME.sub("<time>", value)
        value = names(value)
        for told, meant in hashes.items():
            value = value.replace(told, meant)
        return namespace.sub("<namespace>", value)

    return text


def _uids(objects: Sequence[Plain]) -> dict[str, str]:
    """The object of each uid: of those that are there, and of those that others refer to."""
    known = {
        each["metadata"]["uid"]: f"{each['kind']}/{each['metadata']['name']}"
        for each in objects
        if each["kind"] != "Event" and "uid" in each["metadata"]
    }
    for reference in _references(objects):
        known.setdefault(reference["uid"], f"{reference['kind']}/{reference['name']}")
    return known


def _references(value: Any) -> Iterator[Mapping[str, str]]:
    if isinstance(value, dict):
        if all(isinstance(value.get(key), str) for key in ("kind", "name", "uid")):
            yield value
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _references(inner)


def _generated_names(objects: Sequence[Plain]) -> Callable[[str], str]:
    """Puts `*` where a suffix was generated, also in the names of objects that are gone."""
    given = {each["metadata"]["name"] for each in objects if "generateName" not in each["metadata"]}
    prefixes = {"kube-api-access-"}
    prefixes.update(
        each["metadata"]["generateName"] for each in objects if "generateName" in each["metadata"]
    )
    prefixes.update(f"{each['metadata']['name']}-" for each in objects if each["kind"] in _GENERATING)
    prefixes.update(f"{each['name']}-" for each in _references(objects) if each["kind"] in _GENERATING)
    # The longest first: web-7d4-x2k4f is a name by the prefix web-7d4-, not by web-.
    longest = sorted(map(re.escape, prefixes), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.-])({'|'.join(longest)}){_SUFFIX}(?![\w-])")

    def starred(found: re.Match[str]) -> str:
        return found[0] if found[0] in given else f"{found[1]}*"

    return lambda text: pattern.sub(starred, text)


def _hashes(objects: Sequence[Plain]) -> dict[str, str]:
    """Numbers for pod-template-hash, by the order in which the ReplicaSets were made.

    Those that are gone are known by the events about them.
    """
    ages: dict[str, tuple[str, int, int]] = {}
    for each in objects:
        told, age = _hash_of_event(each) if each["kind"] == "Event" else _hash_of_set(each)
        if told:
            ages[told] = min(age, ages.get(told, age)) if each["kind"] == "Event" else age
    return {told: f"<hash {number}>" for number, told in enumerate(sorted(ages, key=ages.__getitem__), 1)}


def _hash_of_set(each: Plain) -> tuple[str, tuple[str, int, int]]:
    """The hash of a ReplicaSet, if it is one of a Deployment, and what it is sorted by: time, revision."""
    metadata = each["metadata"]
    annotations = metadata.get("annotations", {})
    history = annotations.get("deployment.kubernetes.io/revision-history", "").split(",")
    revision = int(history[0] or annotations.get("deployment.kubernetes.io/revision", "0"))
    told = metadata.get("labels", {}).get(_HASH_LABEL, "") if each["kind"] == "ReplicaSet" else ""
    return told, (metadata.get("creationTimestamp", ""), revision, 0)


def _hash_of_event(each: Plain) -> tuple[str, tuple[str, int, int]]:
    """The hash that the first event about a ReplicaSet tells; before any revision, since it is gone."""
    scaled = _SCALED.match(each.get("message", "")) if each.get("reason") == "ScalingReplicaSet" else None
    metadata = each["metadata"]
    age = (metadata.get("creationTimestamp", ""), 0, int(metadata.get("resourceVersion", "0")))
    return (scaled[1] if scaled else ""), age


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
