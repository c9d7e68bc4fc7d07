"""The kinds of batch/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.batch_v1 import CronJob, Job

__all__ = ["BatchV1"]


class BatchV1:
    """The kinds of batch/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def cron_jobs(self, namespace: str | None = None) -> Api[CronJob]:
        """`cronjobs` of a namespace."""
        return self._client.api(CronJob, namespace)

    def jobs(self, namespace: str | None = None) -> Api[Job]:
        """`jobs` of a namespace."""
        return self._client.api(Job, namespace)
