"""Pod templates of Deployments: whether two are the same, and the hash that names a ReplicaSet after one."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from kubewright.machinery import codec

if TYPE_CHECKING:
    from kubewright.models.core_v1 import PodTemplateSpec

__all__ = ["HASH_LABEL", "replica_set_name", "same_template", "template_hash"]

HASH_LABEL: Final = "pod-template-hash"
"""The label by which the pods of a Deployment's ReplicaSets are told apart."""

_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
"""Upstream's, without vowels and what looks like them, so that no words come about."""

_LONGEST_NAME: Final = 253
"""Of a ReplicaSet."""


def same_template(one: PodTemplateSpec, other: PodTemplateSpec) -> bool:
    """Whether two templates mean the same, whatever hashes they are labelled with."""
    one, other = _unlabelled(one), _unlabelled(other)
    # The usual answer, at a fraction of the cost of asking each field.
    return one.to_json() == other.to_json() or one == other


def template_hash(template: PodTemplateSpec, collisions: int | None) -> str:
    """The hash of a template, which looks as upstream's does: ten characters at most.

    Upstream hashes how Go prints the memory of its structs, which changes with each version of the API; here
    it is the JSON of the template, with sorted keys. So the hashes of the two differ, and nothing depends on
    that: a ReplicaSet is found by its template. `collisions`, of the Deployment's status, makes for another
    hash when the name is taken by another template.
    """
    canonical = msgspec.json.encode(codec.decode_plain(template.to_json()), order="sorted")
    salt = b"" if collisions is None else str(collisions).encode()
    number = int.from_bytes(sha256(canonical + b"\0" + salt).digest()[:4], "little")
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in str(number))


def replica_set_name(deployment: str, hashed: str) -> str:
    """The name of a Deployment's ReplicaSet, cut where it would become too long."""
    return f"{deployment[: _LONGEST_NAME - len(hashed) - 1]}-{hashed}"


def _unlabelled(template: PodTemplateSpec) -> PodTemplateSpec:
    if HASH_LABEL not in template.metadata.labels:
        return template
    copied = template.copy()
    del copied.metadata.labels[HASH_LABEL]
    return copied
