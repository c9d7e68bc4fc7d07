"""`make bench`: prints the table, writes bench/results/latest.json, fails when a ratio is missed."""

from __future__ import annotations

import json
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from bench import (
    admission,
    client,
    cluster,
    controllers,
    customresources,
    decoding,
    generated_types,
    importing,
    informers,
    policies,
    rbac,
    server,
    workqueue,
)
from bench.row import table

SUBJECTS = (
    decoding,
    importing,
    generated_types,
    workqueue,
    server,
    admission,
    policies,
    rbac,
    client,
    cluster,
    informers,
    controllers,
    customresources,
)
"""Each has a function `rows`; a new subject is a module and a name here."""


def main() -> int:
    """Measure everything, or the subjects that are named (`python -m bench informers`)."""
    named = sys.argv[1:]
    chosen = [
        subject for subject in SUBJECTS if not named or subject.__name__.removeprefix("bench.") in named
    ]
    rows = [row for subject in chosen for row in subject.rows()]
    print(table(rows))
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    report = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "rows": [row.to_dict() for row in rows],
    }
    (results / "latest.json").write_text(json.dumps(report, indent=2) + "\n")
    missed = [row for row in rows if not row.reached]
    if missed:
        print(f"\n{len(missed)} of {len(rows)} ratios missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
