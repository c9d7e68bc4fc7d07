"""The Python package of a project: its kinds, controllers and webhooks, and the program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.record import ProjectRecord, ScaffoldedKind
from kubewright.scaffold.render_kinds import Kind, Names
from kubewright.scaffold.render_main import render_main
from kubewright.scaffold.render_text import call, fill, from_imports, lines, signature

__all__ = ["api_module", "render_package"]


def render_package(record: ProjectRecord, names: Names, kinds: Sequence[Kind]) -> dict[str, ScaffoldFile]:
    """All modules of the package."""
    source = f"src/{names.package}"
    files = {
        f"{source}/__init__.py": _text(f'"""The operator {names.project}."""\n'),
        f"{source}/__main__.py": _list(render_main(record, names, kinds)),
        f"{source}/api/__init__.py": _text('"""The kinds of the operator, by version."""\n'),
        f"{source}/controllers/__init__.py": _list(_controllers(names, kinds)),
    }
    for kind in kinds:
        for each in kind.versions:
            folder = f"{source}/api/{each.version}"
            files[f"{folder}/__init__.py"] = _text(f'"""The kinds of version {each.version}."""\n')
            files[f"{folder}/{kind.module}.py"] = _list(_kind(names, kind, each))
        if kind.has_controller:
            files[f"{source}/controllers/{kind.module}.py"] = _text(_controller(names, kind))
        for each in kind.asked:
            folder = f"{source}/webhooks/{each.version}"
            files[f"{folder}/__init__.py"] = _text(f'"""Webhooks for version {each.version}."""\n')
            files[f"{folder}/{kind.module}.py"] = _list(_webhook(names, kind, each))
    if any(kind.asked or kind.converts for kind in kinds):
        files[f"{source}/webhooks/__init__.py"] = _list(_webhooks(names, kinds))
    return files


def api_module(names: Names, kind: Kind, version: ScaffoldedKind) -> str:
    """The module that has a version of a kind."""
    return f"{names.package}.api.{version.version}.{kind.module}"


def _text(text: str) -> ScaffoldFile:
    return ScaffoldFile(text=text)


def _list(text: str) -> ScaffoldFile:
    return ScaffoldFile(text=text, additions="both")


def _kind(names: Names, kind: Kind, version: ScaffoldedKind) -> str:
    is_hub = version is kind.hub
    converts = kind.converts and not is_hub
    options: list[str] = []
    if not kind.is_plain_plural:
        options.append(f'plural="{kind.plural}",')
    if not kind.namespaced:
        options.append('scope="Cluster",')
    if not is_hub:
        options.append("storage=False,")
    elif kind.spokes:
        others = (f'    "..{each.version}.{kind.module}:{kind.name}",' for each in kind.spokes)
        options += ["versions=[", *others, "],"]
    imports = fill("kind_imports.py", {})
    if converts:
        parts = [f"{kind.name}{part} as Hub{part}" for part in ("", "Spec", "Status")]
        imports += f"\n{from_imports({api_module(names, kind, kind.hub): parts})}"
    values = {
        "kind": kind.name,
        "definition": kind.definition,
        "group": kind.group,
        "version": version.version,
        "options": lines(options),
        "imports": imports,
        "conversion": _conversion(kind) if converts else "",
    }
    return fill("kind.py", values)


def _conversion(kind: Kind) -> str:
    spec = call(f"spec = {kind.name}Spec(", ["replicas=hub.spec.replicas"], depth=2)
    values = {"kind": kind.name, "hub_version": kind.hub.version, "spec": spec}
    return fill("conversion_functions.py", values)


def _controller(names: Names, kind: Kind) -> str:
    api = [kind.name, "request.namespace"] if kind.namespaced else [kind.name]
    register = [kind.name, "reconcile"]
    if kind.module != kind.name.lower():
        register.append(f'name="{kind.label}"')
    values = {
        "kind": kind.name,
        "imports": from_imports({api_module(names, kind, kind.hub): [kind.name, f"{kind.name}Status"]}),
        "register": call("manager.controller(", register, depth=1),
        "api": call("api = ctx.client.api(", api, depth=1),
    }
    return fill("controller.py", values)


def _controllers(names: Names, kinds: Sequence[Kind]) -> str:
    controlled = [kind.module for kind in kinds if kind.has_controller]
    # A line for each, so that those which a person adds or takes away are no conflict.
    imports = {f"{names.package}.controllers.{each}": [f"setup as setup_{each}"] for each in controlled}
    registrations = [f"setup_{each}(manager)" for each in controlled]
    if any(kind.asked for kind in kinds):
        imports[f"{names.package}.webhooks"] = ["setup as setup_webhooks"]
        registrations.append("setup_webhooks(manager)")
    found = from_imports(imports)
    values = {
        "imports": f"\n{found}" if found else "",
        "registrations": lines(registrations or ["# There is nothing yet: kubewright create api"]),
    }
    return fill("controllers.py", values)


def _webhook(names: Names, kind: Kind, version: ScaffoldedKind) -> str:
    library: defaultdict[str, list[str]] = defaultdict(list)
    library["kubewright"].append("Manager")
    library["kubewright.webhooks"].append("Review")
    registrations: list[str] = []
    functions = constants = ""
    named = {"kind": kind.name}
    if "defaulting" in version.webhooks:
        library["kubewright.webhooks"].append("defaulting")
        registrations.append("manager.webhook(complete)")
        functions += fill(
            "defaulting.py", {**named, "name": names.project, "signature": _signature("complete", kind)}
        )
    if "validation" in version.webhooks:
        library["kubewright.webhooks"] += ["Denied", "validating"]
        library["kubewright.machinery.field_errors"].append("invalid")
        registrations.append("manager.webhook(check)")
        functions += fill("validating.py", {**named, "signature": _signature("check", kind)})
        constants = fill("max_name.py", {})
    values = {
        **named,
        "version": version.version,
        "library": from_imports(library),
        "imports": from_imports({api_module(names, kind, version): [kind.name]}),
        "constants": constants,
        "registrations": lines(registrations),
        "functions": functions,
    }
    return fill("webhook.py", values)


def _signature(function: str, kind: Kind) -> str:
    return signature(f"async def {function}(", [f"review: Review[{kind.name}]"], ") -> None:")


def _webhooks(names: Names, kinds: Sequence[Kind]) -> str:
    imports: dict[str, list[str]] = {}
    registrations, conversions = [], []
    parts = {part for kind in kinds for each in kind.asked for part in each.webhooks}
    for kind in kinds:
        for each in kind.asked:
            alias = f"{each.version}_{kind.module}"
            imports.setdefault(f"{names.package}.webhooks.{each.version}", []).append(
                f"{kind.module} as {alias}"
            )
            registrations.append(f"{alias}.setup(manager)")
        if kind.converts:
            shown = kind.name if kind.alias == kind.name else f"{kind.name} as {kind.alias}"
            imports[api_module(names, kind, kind.hub)] = [shown]
            conversions.append(kind)
    injections: list[str] = []
    for part, verb in (("defaulting", "mutating"), ("validation", "validating")):
        if part in parts:
            injections.append(f'{verb}=["{names.project}-{verb}-webhook-configuration"],')
    if conversions:
        injections += ["definitions=[", *(f'    "{kind.definition}",' for kind in conversions), "],"]
    values = {
        "name": names.project,
        "namespace": names.namespace,
        "service": names.webhook_service,
        "imports": from_imports(imports),
        "injections": lines(injections),
        "registrations": lines(registrations or ["# There are none: its webhooks convert objects."]),
        "converted": _converted(conversions),
    }
    return fill("webhooks.py", values)


def _converted(kinds: Sequence[Kind]) -> str:
    head = "CONVERTED: Final[Sequence[type[Resource]]] = ["
    return lines([head, *(f"    {each.alias}," for each in kinds), "]"] if kinds else [f"{head}]"])
