"""Looks for differences, or replays one: `python -m tests.conformance.fuzz --help`."""

from __future__ import annotations

import argparse
import sys
import time

from kubewright.testing import Cluster
from tests.conformance.client import Client
from tests.conformance.fuzz.run import Fuzzer
from tests.realcluster.server import RealServer


def main() -> int:
    """Prints each difference once; the code is 1 when there are any."""
    options = _options()
    with RealServer(fsync=False) as real, Cluster.in_thread(controllers="none") as ours:
        clients = Client(real), Client(ours)
        fuzzer = Fuzzer(*clients)
        try:
            return _hunt(fuzzer, options)
        finally:
            fuzzer.close()
            for client in clients:
                client.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first sequence")
    parser.add_argument("--sequences", type=int, default=1, help="how many")
    parser.add_argument("--length", type=int, default=30, help="steps in each")
    parser.add_argument("--steps", default="", help="only these, as 1,5,7, of one sequence")
    return parser.parse_args()


def _hunt(fuzzer: Fuzzer, options: argparse.Namespace) -> int:
    only = {int(each) for each in options.steps.split(",")} if options.steps else None
    seen: dict[str, int] = {}
    start = time.monotonic()
    for seed in range(options.seed, options.seed + options.sequences):
        found = fuzzer.run(seed, options.length, only)
        if found is None:
            continue
        seen[found.signature] = seen.get(found.signature, 0) + 1
        if seen[found.signature] == 1:
            _tell(fuzzer.shortened(found))
            _tell("=" * 100)
    _tell(
        f"{options.sequences} sequences in {time.monotonic() - start:.1f} s; {len(seen)} kinds of differences"
    )
    for signature, count in sorted(seen.items(), key=lambda each: -each[1]):
        _tell(f"{count:5} {signature}")
    return 1 if seen else 0


def _tell(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
