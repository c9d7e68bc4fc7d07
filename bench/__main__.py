"""`make bench`: prints each row as it is measured, then the table; fails when a ratio is missed.

python -m bench [--tiny] [SUBJECT...]

bench/results/latest.json is written after every row. A subject that breaks is reported, and the others are
still measured. `--tiny` runs with the smallest counts and judges no ratio: it shows that every subject works.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from bench.report import Report
from bench.row import Row
from bench.scale import TINY, is_tiny

SUBJECTS = (
    "decoding",
    "importing",
    "generated_types",
    "workqueue",
    "server",
    "admission",
    "policies",
    "rbac",
    "client",
    "cluster",
    "informers",
    "controllers",
    "customresources",
)
"""Modules of this package, each with a function `rows`; a new subject is a module and a name here."""

RESULTS = Path(__file__).parent / "results" / "latest.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything, or the subjects that are named, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure kubewright and its peers.")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"one of: {', '.join(SUBJECTS)}")
    parser.add_argument("--tiny", action="store_true", help="smallest counts, to check that all of it runs")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to write")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.subjects) - set(SUBJECTS)):
        parser.error(f"no such subject: {', '.join(unknown)}; there are: {', '.join(SUBJECTS)}")
    if options.tiny:
        os.environ[TINY] = "1"
    report = Report(options.results, judged=not is_tiny())
    for subject in options.subjects or SUBJECTS:
        measure(subject, report)
    print(f"\n{report.text()}")
    return report.exit_code


def measure(subject: str, report: Report) -> None:
    """Add the rows of one subject to a report, or how it failed."""
    try:
        # Imported here: a subject that cannot be imported must not lose the others.
        rows: Iterable[Row] = import_module(f"bench.{subject}").rows()
        for row in rows:
            report.add(row)
    except Exception as error:
        report.fail(subject, error)


if __name__ == "__main__":
    sys.exit(main())
