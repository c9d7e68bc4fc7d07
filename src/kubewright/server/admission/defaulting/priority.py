"""Pods get the number of their priority class: upstream's Priority plugin."""

from __future__ import annotations

from typing import Final

import msgspec

from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.refusals import forbidden_by_plugin
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.storage import Storage

__all__ = ["PriorityPlugin"]

_CLASSES: Final = f"{REGISTRY_ROOT}priorityclasses/"
_USUAL_POLICY: Final = "PreemptLowerPriority"
_COMPUTED: Final = "must not be provided in pod spec; priority admission controller computed"


class PriorityPlugin:
    """Resolves `priorityClassName`, or the default class, to `priority` and `preemptionPolicy`."""

    def __init__(self, storage: Storage) -> None:
        self._storage: Final = storage

    async def admit(self, attributes: Attributes) -> None:
        """Complete a pod. Raises Forbidden."""
        served, obj = attributes.type.served, attributes.obj
        if served.resource != "pods" or served.group or attributes.write.subresource or obj is None:
            return
        if attributes.operation == "CREATE":
            self._resolve(attributes, obj["spec"])
        elif attributes.operation == "UPDATE" and attributes.old is not None:
            for field in ("priority", "preemptionPolicy"):
                before = (attributes.old.get("spec") or {}).get(field)
                if obj["spec"].get(field) is None and before is not None:
                    obj["spec"][field] = before

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a second default class. Raises Forbidden."""
        served, obj = attributes.type.served, attributes.obj
        if served.resource != "priorityclasses" or obj is None or not obj.get("globalDefault"):
            return
        there = self._default()
        if there is None:
            return
        name = there["metadata"]["name"]
        if attributes.operation == "CREATE" or name != obj["metadata"].get("name"):
            why = f"PriorityClass {name} is already marked as default. Only one default can exist"
            raise forbidden_by_plugin(attributes, why)

    def _resolve(self, attributes: Attributes, spec: Object) -> None:
        name = spec.get("priorityClassName", "")
        found = self._named(attributes, name) if name else self._default()
        value, policy = 0, _USUAL_POLICY
        if found is not None:
            value, policy = found.get("value", 0), found.get("preemptionPolicy", _USUAL_POLICY)
            spec["priorityClassName"] = found["metadata"]["name"]
        given = spec.get("priority")
        if given is not None and given != value:
            why = (
                f"the integer value of priority ({given}) {_COMPUTED} {value} from the given "
                "PriorityClass name"
            )
            raise forbidden_by_plugin(attributes, why)
        wanted = spec.get("preemptionPolicy")
        if wanted is not None and wanted != policy:
            why = (
                f"the string value of PreemptionPolicy ({wanted}) {_COMPUTED} {policy} from the given "
                "PriorityClass name"
            )
            raise forbidden_by_plugin(attributes, why)
        spec["priority"], spec["preemptionPolicy"] = value, policy

    def _named(self, attributes: Attributes, name: str) -> Object:
        entry = self._storage.get(f"{_CLASSES}{name}")
        if entry is None:
            raise forbidden_by_plugin(attributes, f"no PriorityClass with name {name} was found")
        found: Object = msgspec.json.decode(entry.value)
        return found

    def _default(self) -> Object | None:
        """The class for pods that name none: of several the lowest."""
        page = self._storage.list(_CLASSES)
        marked = [
            msgspec.json.decode(each.value) for each in page.entries if b'"globalDefault"' in each.value
        ]
        found = [each for each in marked if each.get("globalDefault")]
        return min(found, key=lambda each: each.get("value", 0)) if found else None
