"""The kind Project, `projects.examples-gzh.com`."""

from __future__ import annotations

from typing import Annotated

from kubewright import Field, PrinterColumn, Resource, Struct, custom_resource


class ProjectSpec(Struct):
    """What is wanted of a project."""

    replicas: Annotated[int, Field(minimum=1)]
    """How many there shall be."""


@custom_resource(
    group="examples-gzh.com",
    version="v1",
    columns=[
        PrinterColumn("Replicas", ".spec.replicas"),
        PrinterColumn("Age", ".metadata.creationTimestamp"),
    ],
)
class Project(Resource):
    """A project that runs so many replicas."""

    spec: ProjectSpec
