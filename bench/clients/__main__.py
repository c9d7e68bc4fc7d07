"""Measures one client in a process of its own and prints JSON: seconds, CPU seconds and memory.

python -m bench.clients MODULE KUBECONFIG NAMESPACE list|gets|creates COUNT FLIGHT FILE_OR_NAME
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Do one thing with one client."""
    module, kubeconfig, namespace, what, count, flight, subject = sys.argv[1:]
    client = import_module(f"bench.clients.{module}")
    begin, cpu = time.perf_counter(), time.process_time()
    if what == "list":
        work = client.listed(kubeconfig, namespace)
    elif what == "gets":
        work = client.gets(kubeconfig, namespace, subject, int(count), int(flight))
    else:
        pod = json.loads(Path(subject).read_text())
        work = client.creates(kubeconfig, namespace, pod, int(count), int(flight))
    found = asyncio.run(work)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    if what == "list":
        assert len(found) == int(count), len(found)
    print(json.dumps({"seconds": seconds, "cpu": cpu, "memory": _peak()}))


def _peak() -> float:
    """The most memory that was resident, in MB; getrusage would count that of the process before exec."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / 1e6


main()
