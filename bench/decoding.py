"""Decoding a list of 10,000 realistic pods: speed and memory, untouched and fully touched."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Final

from bench.pods import pod_list
from bench.row import Row
from bench.scale import scaled

__all__ = ["rows"]

PODS: Final = scaled(10_000, tiny=20)
ROUNDS: Final = scaled(5, tiny=1)
"""The best of these counts: other work on the machine can only make a round slower."""


def rows() -> list[Row]:
    """The rows about decoding."""
    encoded = pod_list(PODS)
    size = len(encoded) / PODS / 1024
    title = f"decode {PODS:,} pods of {size:.1f} KB"
    milliseconds = {name: _best(decode, encoded) * 1e3 for name, decode in _decoders().items()}
    untouched, touched = milliseconds["kubewright"], milliseconds["kubewright touched"]
    found = [
        Row(f"{title}, untouched", "orjson", "ms", untouched, milliseconds["orjson"], least=8),
        Row(f"{title}, untouched", "json", "ms", untouched, milliseconds["json"]),
        Row(f"{title}, untouched", "pydantic", "ms", untouched, milliseconds["pydantic"]),
        Row(f"{title}, fully touched", "orjson", "ms", touched, milliseconds["orjson"], least=1),
        Row(f"{title}, fully touched", "json", "ms", touched, milliseconds["json"]),
        Row(f"{title}, fully touched", "pydantic", "ms", touched, milliseconds["pydantic"]),
    ]
    return found + _memory_rows()


def _decoders() -> dict[str, Callable[[bytes], object]]:
    import orjson

    from bench.pydantic_pod import decode_with_pydantic
    from kubewright.models.core_v1 import PodList

    return {
        "orjson": orjson.loads,
        "json": json.loads,
        "pydantic": decode_with_pydantic,
        "kubewright": PodList.from_json,
        "kubewright touched": touched,
    }


def touched(encoded: bytes) -> object:
    """Decode, and read every field that is decoded on first use."""
    from kubewright.models.core_v1 import PodList

    pods = PodList.from_json(encoded)
    for pod in pods.items:
        _ = pod.spec, pod.status, pod.metadata.managed_fields
    return pods


def _best(decode: Callable[[bytes], object], encoded: bytes) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        gc.collect()
        start = perf_counter()
        decoded = decode(encoded)
        best = min(best, perf_counter() - start)
        del decoded
    return best


def _memory_rows() -> list[Row]:
    kilobytes = {
        name: memory_per_pod(name)
        for name in ("orjson", "json", "pydantic", "kubewright", "kubewright touched")
    }
    ours = kilobytes["kubewright"]
    title = "memory of a pod, on top of the bytes"
    return [
        Row(title, "orjson", "KB", ours, kilobytes["orjson"], least=6),
        Row(title, "json", "KB", ours, kilobytes["json"]),
        Row(title, "pydantic", "KB", ours, kilobytes["pydantic"]),
        Row(f"{title}, touched", "orjson", "KB", kilobytes["kubewright touched"], kilobytes["orjson"]),
    ]


def memory_per_pod(decoder: str) -> float:
    """What a process grows by, in KB a pod, when it decodes the list; measured in a process of its own."""
    program = f"from bench.decoding import print_growth; print_growth({decoder!r})"
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    return float(printed) / PODS / 1024


def print_growth(decoder: str) -> None:
    """Print by how many bytes the resident memory grows while the decoded list is held."""
    decode = _decoders()[decoder]
    decode(pod_list(3))
    encoded = pod_list(PODS)
    gc.collect()
    before = _resident()
    decoded = decode(encoded)
    gc.collect()
    print(_resident() - before)
    del decoded


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
