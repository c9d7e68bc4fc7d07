"""Projects on disk, for the generators that import them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

__all__ = ["KINDS", "importing", "kind", "write_project"]

HEAD = (
    "from kubewright import Resource, Struct, custom_resource\n\n\nclass Spec(Struct):\n    size: int = 1\n"
)


def kind(name: str, group: str = "shop.example.com", version: str = "v1", **options: object) -> str:
    """The source text of a declaration."""
    given = "".join(f", {option}={value!r}" for option, value in options.items())
    return (
        f'\n\n@custom_resource(group="{group}", version="{version}"{given})\n'
        f"class {name}(Resource):\n    spec: Spec\n"
    )


KINDS = HEAD + kind("Order") + kind("Warehouse", scope="Cluster")
"""A module with two kinds."""


def write_project(folder: Path, files: Mapping[str, str], *, package: str = "", settings: str = "") -> Path:
    """Write files below a folder, with a pyproject.toml that names a package if one is given."""
    if package:
        settings += f'[tool.kubewright]\npackage = "{package}"\n'
    for name, text in {"pyproject.toml": settings, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@contextmanager
def importing() -> Iterator[None]:
    """What is imported in the block is forgotten after it: other tests have packages of the same names."""
    path, modules, meta_path = list(sys.path), set(sys.modules), list(sys.meta_path)
    try:
        yield
        assert sys.meta_path == meta_path
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if not name.startswith("kubewright."):
                del sys.modules[name]
