"""A process that writes to a store as hard as it can and says what was acknowledged, until it is killed.

Each line it prints is the key, the number of the write to that key (0 creates it, 1 changes it, 2 deletes it)
and the revision.
"""

from __future__ import annotations

import asyncio
import os
import sys

from kubewright.server.storage import SQLiteStorage, Value

WRITERS = 32


def content(key: str, number: int) -> Value:
    """What a write holds: it can be told from the key and the number, and is up to some pages long."""
    filling = f"{key}#{number};".encode()
    return Value(b"{", b"}" + filling * (hash_of(key) % 400))


def hash_of(key: str) -> int:
    return sum(position * byte for position, byte in enumerate(key.encode(), 1))


def tell(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def main(directory: str, run: str) -> None:
    tell("opening")
    storage = await SQLiteStorage.open(directory)

    async def write(writer: int) -> None:
        step = 0
        while True:
            key = f"/{run}/{writer}/{step}"
            entry = await storage.create(key, content(key, 0))
            tell(key, 0, entry.revision)
            entry = await storage.update(key, content(key, 1), expected_revision=entry.revision)
            tell(key, 1, entry.revision)
            if step % 3 == 0:
                entry = await storage.delete(key, content(key, 2), expected_revision=entry.revision)
                tell(key, 2, entry.revision)
            if writer == 0 and step % 4 == 0:
                await storage.compact(storage.revision - 50)
            step += 1

    await asyncio.gather(*map(write, range(WRITERS)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
