"""Threads may decode a type for the first time together, where msgspec alone crashes."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, threading
from kubewright.machinery.codec import decode
from kubewright.machinery.struct import Struct

sys.setswitchinterval(1e-6)
text = b'{"a":1}'
for _ in range(11):
    text = b'{"a":1,"inner":' + text + b"}"


def nested():
    classes = {"Struct": Struct, "__name__": __name__}
    exec("class C0(Struct):\\n    a: int = 0", classes)
    for each in range(1, 12):
        fields = f"a: int = 0; inner: C{each - 1} | None = None; others: list[C{each - 1}] = []"
        exec(f"class C{each}(Struct):\\n    {fields}", classes)
    return classes["C11"]


def read(wanted):
    together.wait()
    assert decode(text, wanted).inner.inner.inner.a == 1
    done.append(wanted)


done = []
for _ in range(10):
    together, wanted = threading.Barrier(6), nested()
    threads = [threading.Thread(target=read, args=[wanted]) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
print(len(done))
"""


def test_a_type_is_first_decoded_by_many_threads() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout.strip()) == (0, "60"), ended.stderr
