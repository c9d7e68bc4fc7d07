"""The kinds of a project as templates need them: all versions of one kind together, and what it is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kubewright.crd.naming import plural_of
from kubewright.scaffold.record import ProjectRecord, ScaffoldedKind, WebhookPart

__all__ = ["ADMISSION", "Kind", "Names", "kinds_of"]

ADMISSION: Final[tuple[WebhookPart, ...]] = ("defaulting", "validation")
"""What API servers ask before they store an object; they are declared by webhook configurations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What things of a project are called, before and after kustomize gives them its prefix."""

    project: str
    package: str

    @property
    def namespace(self) -> str:
        """Where it is deployed."""
        return f"{self.project}-system"

    @property
    def webhook_service(self) -> str:
        """The Service of its webhooks."""
        return f"{self.project}-webhook-service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind with all its versions."""

    name: str
    group: str
    """Of the API."""
    plural: str
    namespaced: bool
    module: str
    """What modules and files for it are called; with the group where another kind has the name already."""
    versions: Sequence[ScaffoldedKind]
    """In the order in which they were created: the first is the one in which objects are stored."""

    @property
    def hub(self) -> ScaffoldedKind:
        """The version in which objects are stored."""
        return self.versions[0]

    @property
    def spokes(self) -> Sequence[ScaffoldedKind]:
        """The other versions."""
        return self.versions[1:]

    @property
    def definition(self) -> str:
        """The name of its CustomResourceDefinition."""
        return f"{self.plural}.{self.group}"

    @property
    def has_controller(self) -> bool:
        """Whether a controller reconciles it, in the stored version."""
        return any(each.controller for each in self.versions)

    @property
    def converts(self) -> bool:
        """Whether functions convert between its versions."""
        return bool(self.spokes) and any("conversion" in each.webhooks for each in self.versions)

    @property
    def asked(self) -> Sequence[ScaffoldedKind]:
        """The versions about which API servers ask before they store an object."""
        return [each for each in self.versions if set(ADMISSION) & set(each.webhooks)]

    @property
    def alias(self) -> str:
        """What its class is called where those of several kinds are imported."""
        if self.module == self.name.lower():
            return self.name
        return "".join(word.capitalize() for word in self.module.split("_"))

    @property
    def label(self) -> str:
        """What objects about it are called."""
        return self.module.replace("_", "-")

    @property
    def is_plain_plural(self) -> bool:
        """Whether its plural is the one that it has unless something else is said."""
        return self.plural == plural_of(self.name)


def kinds_of(record: ProjectRecord) -> list[Kind]:
    """All kinds, in the order in which they were created."""
    versions: dict[tuple[str, str], list[ScaffoldedKind]] = {}
    for each in record.kinds:
        versions.setdefault((record.api_group(each), each.kind), []).append(each)
    found: list[Kind] = []
    taken: set[str] = set()
    for (group, name), members in versions.items():
        module = name.lower()
        if module in taken:
            module = f"{re.sub('[^a-z0-9]', '_', members[0].group or group)}_{module}"
        taken.add(module)
        found.append(
            Kind(
                name=name,
                group=group,
                plural=members[0].plural,
                namespaced=members[0].namespaced,
                module=module,
                versions=members,
            )
        )
    return found
