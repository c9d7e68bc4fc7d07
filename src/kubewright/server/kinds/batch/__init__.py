"""The rules of the kinds in the group `batch`: Jobs and CronJobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.batch.cron_job import CRON_JOB
from kubewright.server.kinds.batch.job import JOB
from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {"cronjobs": CRON_JOB, "jobs": JOB}
