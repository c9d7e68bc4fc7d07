"""Which of its names a CustomResourceDefinition gets: no two definitions of a group may have the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple

from kubewright.machinery.field_errors import go_quote
from kubewright.server.customresources.conditions import condition, find_condition, is_equivalent
from kubewright.server.kinds.kind import Object

__all__ = ["Naming", "accept_names", "needs_naming"]

_ORDER: Final = ("plural", "singular", "shortNames", "kind", "listKind", "categories")


class Naming(NamedTuple):
    """What becomes of a definition's names."""

    accepted_names: Object
    """For status.acceptedNames."""
    names_accepted: Object
    """The NamesAccepted condition."""
    established: Object
    """The Established condition: the old one, or that the definition waits to be served."""

    def changes(self, crd: Object) -> bool:
        """Whether the definition does not say so already."""
        accepted = _names((crd.get("status") or {}).get("acceptedNames"))
        return accepted != _names(self.accepted_names) or not is_equivalent(
            self.names_accepted, find_condition(crd, "NamesAccepted")
        )


def needs_naming(crd: Object) -> bool:
    """Whether the names that a definition asks for are not those that it has."""
    wanted, accepted = (crd.get("spec") or {}).get("names"), (crd.get("status") or {}).get("acceptedNames")
    return _names(wanted) != _names(accepted)


def accept_names(
    crd: Object,
    others: Iterable[Object],
    *,
    resources: Collection[str] = (),
    kinds: Collection[str] = (),
) -> Naming:
    """Accept the names of a definition that are free.

    `others` are all definitions; those of other groups do not matter. A name is taken if a definition of the
    group has it accepted. `resources` and `kinds` are names of the group that are taken otherwise, by the
    kinds that the server has built in. Names that the definition has already, it keeps.
    """
    spec, status = crd.get("spec") or {}, crd.get("status") or {}
    wanted, accepted = spec.get("names") or {}, status.get("acceptedNames") or {}
    used_resources, used_kinds = _used(crd, others)
    used_resources.update(resources)
    used_kinds.update(kinds)
    names: dict[str, Any] = _names(accepted)
    conflict: tuple[str, str] | None = None
    for field, used in (("plural", used_resources), ("singular", used_resources)):
        conflict = _accept(field, wanted, accepted, used, names) or conflict
    conflict = _accept_short_names(wanted, accepted, used_resources, names) or conflict
    for field, used in (("kind", used_kinds), ("listKind", used_kinds)):
        conflict = _accept(field, wanted, accepted, used, names) or conflict
    names["categories"] = list(wanted.get("categories") or ())
    if conflict is not None:
        names_accepted = condition("NamesAccepted", "False", *conflict)
    else:
        names_accepted = condition("NamesAccepted", "True", "NoConflicts", "no conflicts found")
    return Naming(_ordered(names), names_accepted, _established(crd, names_accepted))


def _used(crd: Object, others: Iterable[Object]) -> tuple[set[str], set[str]]:
    resources: set[str] = set()
    kinds: set[str] = set()
    group, name = (crd.get("spec") or {}).get("group"), (crd.get("metadata") or {}).get("name")
    neighbours = (other for other in others if (other.get("metadata") or {}).get("name") != name)
    for other in (crd, *neighbours):
        if (other.get("spec") or {}).get("group") != group:
            continue
        names = (other.get("status") or {}).get("acceptedNames") or {}
        resources.update((names.get("plural") or "", names.get("singular") or ""))
        resources.update(names.get("shortNames") or ())
        kinds.update((names.get("kind") or "", names.get("listKind") or ""))
    return resources, kinds


def _accept(
    field: str, wanted: Object, accepted: Object, used: set[str], names: dict[str, Any]
) -> tuple[str, str] | None:
    name = wanted.get(field) or ""
    if name != (accepted.get(field) or "") and name in used:
        return f"{field[0].upper()}{field[1:]}Conflict", f"{go_quote(name)} is already in use"
    names[field] = name
    return None


def _accept_short_names(
    wanted: Object, accepted: Object, used: set[str], names: dict[str, Any]
) -> tuple[str, str] | None:
    asked, have = list(wanted.get("shortNames") or ()), list(accepted.get("shortNames") or ())
    if asked == have:
        return None
    taken = [name for name in asked if name not in have and name in used]
    if not taken:
        names["shortNames"] = asked
        return None
    # The errors of several names are printed as one, each once.
    told = list(dict.fromkeys(f"{go_quote(name)} is already in use" for name in taken))
    return "ShortNamesConflict", told[0] if len(told) == 1 else f"[{', '.join(told)}]"


def _established(crd: Object, names_accepted: Object) -> Object:
    old = find_condition(crd, "Established")
    if (old is None or old.get("status") != "True") and names_accepted["status"] == "True":
        # It is established when it is served, a little later.
        return condition("Established", "False", "Installing", "the initial names have been accepted")
    if old is not None:
        return {name: old.get(name) or "" for name in ("type", "status", "reason", "message")}
    return condition("Established", "False", "NotAccepted", "not all names are accepted")


def _names(names: Object | None) -> dict[str, Any]:
    """Names without the empty ones, which Go does not tell from missing ones."""
    return {field: value for field, value in (names or {}).items() if value}


def _ordered(names: dict[str, Any]) -> Object:
    """As Go writes them: in its order, `plural` and `kind` always."""
    return {
        field: names.get(field) or "" for field in _ORDER if names.get(field) or field in {"plural", "kind"}
    }
