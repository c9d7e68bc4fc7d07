"""Makes a clientset: a class per group-version with a method per kind, over `Client.api`.

python -m kubewright.codegen.clientset [FOLDER_OF_THE_PACKAGE]
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.codegen.layout import layout
from kubewright.codegen.naming import module_name, python_name
from kubewright.machinery.gvk import GroupVersion

__all__ = ["ASYNC", "BLOCKING", "ServedKind", "builtin_kinds", "clientset_files", "main", "method_name"]

_WIDTH: Final = 110
"""kubewright's own line length."""

ASYNC: Final = "kubewright.client"
BLOCKING: Final = "kubewright.sync"
"""The packages that have a clientset of the built-in kinds."""

_GENERATED: Final = "Generated; see CONTRIBUTING.md."

_SUBRESOURCE_KINDS: Final = {
    "kubewright.models.authentication_v1": "TokenRequest",
    "kubewright.models.autoscaling_v1": "Scale",
}
"""The kinds that `client.subresources` answers with; through here, because it does not know the models."""


class ServedKind(NamedTuple):
    """A kind that the API serves, and where its type is."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool
    module: str
    """Such as `kubewright.models.apps_v1`."""


def builtin_kinds() -> list[ServedKind]:
    """The kinds of `kubewright.models`, in the order of discovery."""
    from kubewright.models import KINDS  # noqa: PLC0415 - users generate clientsets for kinds of their own
    from kubewright.models.served import RESOURCES  # noqa: PLC0415

    return [
        ServedKind(
            row.api_version,
            row.kind,
            row.plural,
            row.namespaced,
            f"kubewright.models.{KINDS[row.api_version, row.kind]}",
        )
        for row in RESOURCES
    ]


def method_name(kind: str, plural: str) -> str:
    """The name of a kind's method: its plural, with the words of the kind told apart."""
    name = python_name(kind)
    pairs = zip(kind.lower(), plural, strict=False)
    letters = next((index for index, (ours, theirs) in enumerate(pairs) if ours != theirs), len(kind))
    letters = min(letters, len(plural))
    # The same number of letters of the name with underscores, then how the plural goes on.
    stem = re.match(rf"(?:_*[^_]){{{letters}}}", name)
    return (stem[0] if stem else "") + plural[letters:]


def clientset_files(kinds: Iterable[ServedKind], package: str = ASYNC) -> dict[str, str]:
    """File name → source text of the package `clientset` below a package that has `api` and `has_api`."""
    groups: dict[str, list[ServedKind]] = defaultdict(list)
    for kind in kinds:
        groups[kind.api_version].append(kind)
    files = {f"{_module(version)}.py": _group(version, kinds, package) for version, kinds in groups.items()}
    files["__init__.py"] = _index(sorted(groups, key=_module), package)
    if package == ASYNC:
        files["subresource_kinds.py"] = _subresource_kinds(_SUBRESOURCE_KINDS)
    return files


def main(arguments: Sequence[str]) -> None:
    """Write the clientsets of the built-in kinds, the async and the blocking one."""
    import kubewright  # noqa: PLC0415 - only to find where it is

    root = Path(arguments[0]) if arguments else Path(kubewright.__file__).parent
    for package in (ASYNC, BLOCKING):
        output = root / package.rpartition(".")[2] / "clientset"
        output.mkdir(parents=True, exist_ok=True)
        for name, text in clientset_files(builtin_kinds(), package).items():
            (output / name).write_text(text)


def _module(api_version: str) -> str:
    version = GroupVersion.parse(api_version)
    return module_name(version.group, version.version)


def _class(api_version: str) -> str:
    return "".join(word.capitalize() for word in _module(api_version).split("_"))


def _group(api_version: str, kinds: Sequence[ServedKind], package: str) -> str:
    lines = [
        f'"""The kinds of {api_version}. {_GENERATED}"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        *sorted(
            [f"from {package}.api import Api", f"from {package}.has_api import HasApi", *_imports(kinds)]
        ),
        "",
        f'__all__ = ["{_class(api_version)}"]',
        "",
        "",
        f"class {_class(api_version)}:",
        f'    """The kinds of {api_version}; for namespaced ones no namespace stands for all."""',
        "",
        "    def __init__(self, client: HasApi) -> None:",
        "        self._client: Final = client",
    ]
    for kind in sorted(kinds, key=lambda kind: method_name(kind.kind, kind.plural)):
        lines += ["", *_method(kind)]
    return "\n".join(lines) + "\n"


def _imports(kinds: Sequence[ServedKind]) -> list[str]:
    """The imports of types; each is one text, which may have several lines."""
    names: dict[str, set[str]] = defaultdict(set)
    for kind in kinds:
        names[kind.module].add(kind.kind)
    lines = []
    for module in sorted(names):
        imported = ", ".join(sorted(names[module], key=str.lower))
        line = f"from {module} import {imported}"
        if len(line) > _WIDTH:
            line = f"from {module} import ({imported})"
        lines.append("\n".join(layout(line, width=_WIDTH)))
    return lines


def _method(kind: ServedKind) -> list[str]:
    name = method_name(kind.kind, kind.plural)
    if not kind.namespaced:
        return [
            f"    def {name}(self) -> Api[{kind.kind}]:",
            f'        """`{kind.plural}` of the cluster."""',
            f"        return self._client.api({kind.kind})",
        ]
    return [
        f"    def {name}(self, namespace: str | None = None) -> Api[{kind.kind}]:",
        f'        """`{kind.plural}` of a namespace."""',
        f"        return self._client.api({kind.kind}, namespace)",
    ]


def _index(versions: Sequence[str], package: str) -> str:
    lines = [
        '"""The clientset: the built-in kinds by group and version, each module imported when it is used.',
        "",
        _GENERATED,
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING",
        "",
        f"from {package}.has_api import HasApi",
        "",
        "if TYPE_CHECKING:",
        *(f"    from {package}.clientset.{_module(v)} import {_class(v)}" for v in versions),
        "",
        '__all__ = ["Clientset"]',
        "",
        "",
        "class Clientset(HasApi):",
        '    """`client.core_v1.pods("default")` and its like; a base of `Client`."""',
    ]
    for version in versions:
        module, name = _module(version), _class(version)
        lines += [
            "",
            "    @property",
            f"    def {module}(self) -> {name}:",
            f'        """The kinds of {version}."""',
            f"        from {package}.clientset.{module} import {name}  # noqa: PLC0415 - when used",
            "",
            f"        return {name}(self)",
        ]
    return "\n".join(lines) + "\n"


def _subresource_kinds(kinds: Mapping[str, str]) -> str:
    lines = [
        f'"""The kinds of subresources. {_GENERATED}"""',
        "",
        "from __future__ import annotations",
        "",
        *(f"from {module} import {name}" for module, name in sorted(kinds.items())),
        "",
        f"__all__ = [{', '.join(sorted(f'{chr(34)}{name}{chr(34)}' for name in kinds.values()))}]",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
