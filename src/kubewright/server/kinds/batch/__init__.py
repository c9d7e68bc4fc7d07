"""The rules of the kinds in the group `batch`: Jobs and CronJobs."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.lazy import LazyKinds

__all__ = ["KINDS"]

KINDS: Final = LazyKinds(
    __name__,
    {
        "cronjobs": "cron_job.CRON_JOB",
        "jobs": "job.JOB",
    },
)
