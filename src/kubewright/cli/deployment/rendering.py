"""The objects of a kustomization, rendered by kubectl or kustomize, with the operator's image in them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kubewright.client.manifests import Manifest, read_manifests
from kubewright.machinery.errors import KubewrightError, ParseError, quoted

__all__ = ["PLACEHOLDER", "RenderError", "check_image", "has_placeholder", "render", "set_image"]

PLACEHOLDER: Final = "controller"
"""The name of the image in config/manager that stands for the operator's own: kubebuilder's."""

_MANAGER: Final = "manager"
"""The container that runs the operator where the placeholder is gone: kubebuilder's name for it."""

_KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The names by which kustomize knows its files."""

_PATIENCE: Final = 120.0
"""Seconds that rendering may take: a kustomization may have parts that are fetched from elsewhere."""

_LONGEST: Final = 600
"""Characters of a program's message that are told; kustomize repeats itself for each folder it was in."""

_LOGGED: Final = re.compile(r'[EF]\d{4} .*?\] "command failed" err=(?P<text>.*)')
"""How kubectl says why it failed where it logs that: in quotes, or between < and > where it is long."""

_TWICE_TOLD: Final = re.compile(
    "accumulation err='(.*)': must build at directory: '[^']*': file is not directory"
)
"""How kustomize says why a file cannot be taken, and that it is no folder either, which nobody asked."""

_NOT_FOUND: Final = re.compile("evalsymlink failure on '([^']+)'")
"""How kustomize says which file it looked for; the words are its own, so that others may come at any time."""

_WORD: Final = r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*"
_IMAGE: Final = re.compile(
    rf"(?P<name>(?:[A-Za-z0-9.-]+(?::[0-9]+)?/)?{_WORD}(?:/{_WORD})*)"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+:[0-9a-fA-F]{32,})?"
)
"""A reference to an image, as registries take it: registry and repository, then a tag, a digest or both."""


class RenderError(KubewrightError):
    """A kustomization that cannot be rendered, or none at all; the message says what to do."""


def render(directory: Path) -> list[Manifest]:
    """The objects of a kustomization, in the order in which it gives them. Raises RenderError."""
    if not any((directory / name).is_file() for name in _KUSTOMIZATIONS):
        raise RenderError(
            f"there is no {directory / _KUSTOMIZATIONS[0]}; go to the project's folder, or name another "
            "--directory"
        )
    command = _command(directory)
    try:
        ended = subprocess.run(  # noqa: S603 - the program of PATH, and a folder that exists
            command, capture_output=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise RenderError(
            f"rendering {directory} takes more than {_PATIENCE:g} seconds; look for what it fetches"
        ) from None
    except OSError as error:
        raise RenderError(f"{command[0]} cannot be run: {error.strerror}; install it anew") from None
    if ended.returncode != 0:
        if missing := _missing(ended.stderr.decode(errors="replace")):
            raise RenderError(
                f"{missing} is not there, and a kustomization names it; write it with `kubewright manifests` "
                "if it is made from the code, or else take it out of the kustomization"
            )
        raise RenderError(f"{directory} cannot be rendered: {_told(ended.stderr)}; {_remedy(ended.stderr)}")
    try:
        return read_manifests(ended.stdout)
    except ParseError as error:
        raise RenderError(f"what {directory} renders to cannot be read: {error}") from None


def _command(directory: Path) -> list[str]:
    # A path that begins with a dash would be an option.
    place = str(directory) if directory.is_absolute() else f"./{directory}"
    if kubectl := shutil.which("kubectl"):
        return [kubectl, "kustomize", place]
    if kustomize := shutil.which("kustomize"):
        return [kustomize, "build", place]
    raise RenderError(
        f"neither kubectl nor kustomize is on PATH, and one of them renders {directory}; install kubectl"
    )


def _missing(stderr: str) -> str | None:
    """The file that kustomize did not find, from the folder where the command is run if it is below."""
    paths = (Path(found) for found in _NOT_FOUND.findall(stderr))
    missing = next((path for path in paths if path.is_absolute() and not path.exists()), None)
    if missing is None:
        return None
    here = Path.cwd()
    return str(missing.relative_to(here) if missing.is_relative_to(here) else missing)


def _told(stderr: bytes) -> str:
    text = " ".join(stderr.decode(errors="replace").split())
    logged = _LOGGED.fullmatch(text)
    if logged is not None:
        text = logged["text"].strip('<>" ').replace('\\"', '"')
    text = _TWICE_TOLD.sub(r"\1", text)
    text = text.removeprefix("error: ").removeprefix("Error: ").rstrip(".") or "it gives no reason"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _remedy(stderr: bytes) -> str:
    return "take one of the two away" if b"already registered id" in stderr else "correct its kustomization"


def check_image(image: str) -> str:
    """The reference to an image, if it is one. Raises ParseError."""
    if _IMAGE.fullmatch(image) is None:
        raise ParseError(
            f"{quoted(image)} is no reference to an image; write registry/name:tag, such as "
            "registry.example.com/operator-demo:v1"
        )
    return image


def has_placeholder(manifests: Sequence[Manifest]) -> bool:
    """Whether a container still has the image that stands for the operator's own."""
    return any(_is_placeholder(each) for each in _all_containers(manifests))


def set_image(manifests: Sequence[Manifest], image: str) -> None:
    """Make the operator's containers have this image, in place.

    Those are the containers with the placeholder; where the kustomization has set an image already, those
    that are called `manager` in Deployments. Raises RenderError when there are none.
    """
    containers = list(_all_containers(manifests))
    own = [each for each in containers if _is_placeholder(each)]
    if not own:
        own = [
            each
            for manifest in manifests
            if manifest.gvk.kind == "Deployment"
            for each in _containers(manifest.data)
            if each.get("name") == _MANAGER
        ]
    if not own:
        raise RenderError(
            f"no container has the image {PLACEHOLDER}, and no Deployment a container {_MANAGER}, so there "
            f"is nowhere to put {image}; give the operator's container the image {PLACEHOLDER}:latest"
        )
    for each in own:
        each["image"] = image


def _is_placeholder(container: Mapping[str, Any]) -> bool:
    image = container.get("image")
    found = _IMAGE.fullmatch(image) if isinstance(image, str) else None
    return found is not None and found["name"] == PLACEHOLDER


def _all_containers(manifests: Sequence[Manifest]) -> Iterator[dict[str, Any]]:
    for manifest in manifests:
        yield from _containers(manifest.data)


def _containers(data: Any) -> Iterator[dict[str, Any]]:
    """All containers in an object, wherever they are: kustomize looks for them by these names too."""
    if isinstance(data, list):
        for item in data:
            yield from _containers(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key in {"containers", "initContainers"} and isinstance(value, list):
                yield from (each for each in value if isinstance(each, dict))
            else:
                yield from _containers(value)
