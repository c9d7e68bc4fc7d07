"""batch/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum
from kubewright.machinery.meta import LabelSelector, ObjectMeta
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time
from kubewright.models.core_v1 import ObjectReference, PodTemplateSpec

__all__ = [
    "CronJob",
    "CronJobList",
    "CronJobSpec",
    "CronJobStatus",
    "Job",
    "JobCondition",
    "JobList",
    "JobSpec",
    "JobStatus",
    "JobTemplateSpec",
    "PodFailurePolicy",
    "PodFailurePolicyOnExitCodesRequirement",
    "PodFailurePolicyOnPodConditionsPattern",
    "PodFailurePolicyRule",
    "SuccessPolicy",
    "SuccessPolicyRule",
    "UncountedTerminatedPods",
]


class CronJob(Resource, api_version="batch/v1", kind="CronJob", plural="cronjobs", namespaced=True):
    """Served in a namespace as `cronjobs`."""

    spec: CronJobSpec
    status: CronJobStatus = EMPTY


class CronJobList(ResourceList[CronJob], api_version="batch/v1", kind="CronJobList"):
    """A list of CronJob."""


class CronJobSpec(Struct):
    job_template: JobTemplateSpec
    schedule: str
    concurrency_policy: OpenEnum[Literal["", "Allow", "Forbid", "Replace"]] = ""
    failed_jobs_history_limit: int | None = None
    starting_deadline_seconds: int | None = None
    successful_jobs_history_limit: int | None = None
    suspend: bool | None = None
    time_zone: str = ""


class CronJobStatus(Struct):
    active: list[ObjectReference] = []
    last_schedule_time: Time | None = None
    last_successful_time: Time | None = None


class Job(Resource, api_version="batch/v1", kind="Job", plural="jobs", namespaced=True):
    """Served in a namespace as `jobs`."""

    spec: JobSpec = EMPTY
    status: JobStatus = EMPTY


class JobCondition(Struct):
    status: str
    type: str
    last_probe_time: Time | None = None
    last_transition_time: Time | None = None
    message: str = ""
    reason: str = ""


class JobList(ResourceList[Job], api_version="batch/v1", kind="JobList"):
    """A list of Job."""


class JobSpec(Struct):
    template: PodTemplateSpec
    active_deadline_seconds: int | None = None
    backoff_limit: int | None = None
    backoff_limit_per_index: int | None = None
    completion_mode: OpenEnum[Literal["", "Indexed", "NonIndexed"]] = ""
    completions: int | None = None
    managed_by: str = ""
    manual_selector: bool | None = None
    max_failed_indexes: int | None = None
    parallelism: int | None = None
    pod_failure_policy: PodFailurePolicy | None = None
    pod_replacement_policy: OpenEnum[Literal["", "Failed", "TerminatingOrFailed"]] = ""
    selector: LabelSelector | None = None
    success_policy: SuccessPolicy | None = None
    suspend: bool | None = None
    ttl_seconds_after_finished: int | None = None


class JobStatus(Struct):
    active: int | None = None
    completed_indexes: str = ""
    completion_time: Time | None = None
    conditions: Annotated[list[JobCondition], Field(patch_strategy=("merge",), patch_merge_key="type")] = []
    failed: int | None = None
    failed_indexes: str = ""
    ready: int | None = None
    start_time: Time | None = None
    succeeded: int | None = None
    terminating: int | None = None
    uncounted_terminated_pods: UncountedTerminatedPods | None = None


class JobTemplateSpec(Struct):
    metadata: ObjectMeta = EMPTY
    spec: JobSpec = EMPTY


class PodFailurePolicy(Struct):
    rules: list[PodFailurePolicyRule]


class PodFailurePolicyOnExitCodesRequirement(Struct):
    operator: OpenEnum[Literal["In", "NotIn"]]
    values: Annotated[list[int], Field(list_type="set")]
    container_name: str = ""


class PodFailurePolicyOnPodConditionsPattern(Struct):
    type: str
    status: str = ""


class PodFailurePolicyRule(Struct):
    action: OpenEnum[Literal["Count", "FailIndex", "FailJob", "Ignore"]]
    on_exit_codes: PodFailurePolicyOnExitCodesRequirement | None = None
    on_pod_conditions: list[PodFailurePolicyOnPodConditionsPattern] = []


class SuccessPolicy(Struct):
    rules: list[SuccessPolicyRule]


class SuccessPolicyRule(Struct):
    succeeded_count: int | None = None
    succeeded_indexes: str = ""


class UncountedTerminatedPods(Struct):
    failed: Annotated[list[str], Field(list_type="set")] = []
    succeeded: Annotated[list[str], Field(list_type="set")] = []
