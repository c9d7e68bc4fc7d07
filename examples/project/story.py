"""Define, install, create, list, watch, cache; and leave the cluster as it was."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from examples.project.types import Project, ProjectSpec
from kubewright import AlreadyExists, Api, Client, Informers, Invalid, NotFound, ObjectMeta
from kubewright.crd import validate
from kubewright.models.apiextensions_v1 import CustomResourceDefinition

LABEL: Final = "examples-gzh.com/run"
"""By which what this run made is told from what else is there."""


async def tell(client: Client, namespace: str) -> None:
    """The whole story, told while it happens."""
    run = secrets.token_hex(4)
    async with installed(client), removed_at_the_end(client.api(Project, namespace), run) as projects:
        await create(projects, run)
        await show_list(projects, run)
        await watch(projects, run)
        await cache(client, projects, run)


@asynccontextmanager
async def installed(client: Client) -> AsyncIterator[None]:
    """The definition, for as long as the block lasts; one that is there already stays as it is."""
    definitions = client.api(CustomResourceDefinition)
    definition = Project.crd()
    name = definition.metadata.name
    try:
        made = await definitions.create(definition)
    except AlreadyExists:
        print(f"install: {name} is there already, and stays as it is")
        yield
        return
    try:
        await definitions.wait_for(name, "Established", timeout=60)
        print(f"install: {name} is established")
        yield
    finally:
        await definitions.delete(name, uid=made.metadata.uid)
        print(f"clean up: {name} is deleted")


@asynccontextmanager
async def removed_at_the_end(projects: Api[Project], run: str) -> AsyncIterator[Api[Project]]:
    """Deletes the projects of this run that are still there when the block ends."""
    try:
        yield projects
    finally:
        left = [project.metadata.name async for project in projects.list(labels={LABEL: run})]
        for name in left:
            with suppress(NotFound):
                await projects.delete(name)
        print(f"clean up: {', '.join(left) or 'no project'} deleted")


def project(name: str, replicas: int, run: str) -> Project:
    """A project of this run."""
    return Project(metadata=ObjectMeta(name=name, labels={LABEL: run}), spec=ProjectSpec(replicas=replicas))


async def create(projects: Api[Project], run: str) -> None:
    """Create two projects, and one that the schema forbids."""
    for each in (project("website", 2, run), project("database", 1, run)):
        made = await projects.create(each)
        print(f"create: {made.key}, replicas: {made.spec.replicas}")
    none = project("nothing", 0, run)
    try:
        await projects.create(none)
    except Invalid as error:
        print(f"create: the server refuses replicas: 0, with {error}")
    try:
        validate(none)
    except Invalid as error:
        print(f"create: so does the type, before it is sent: {error}")


async def show_list(projects: Api[Project], run: str) -> None:
    """Read what the server has."""
    async for each in projects.list(labels={LABEL: run}):
        print(f"list: {each.metadata.name}, replicas: {each.spec.replicas}")


async def watch(projects: Api[Project], run: str) -> None:
    """Follow one project while it changes, is deleted and comes back."""
    async for event in projects.watch(name="website"):
        print(f"watch: {event.type} website, replicas: {event.object.spec.replicas}")
        if event.type == "ADDED" and event.object.spec.replicas == 2:
            await projects.patch("website", {"spec": {"replicas": 5}})
        elif event.type == "MODIFIED":
            await projects.delete("website")
        elif event.type == "DELETED":
            await projects.create(project("website", 3, run))
        else:
            break


async def cache(client: Client, projects: Api[Project], run: str) -> None:
    """Have all projects in memory, current, and read them there."""
    told = asyncio.Event()

    def updated(old: Project, new: Project) -> None:
        print(f"cache: {new.metadata.name} changed, replicas: {old.spec.replicas} -> {new.spec.replicas}")
        told.set()

    async with Informers(client) as informers:
        cached = informers.of(Project, projects.namespace, labels={LABEL: run})
        cached.on_update(updated)
        await informers.synced()
        print(f"cache: synced with {', '.join(sorted(each.metadata.name for each in cached.list()))}")
        written = await projects.patch("database", {"spec": {"replicas": 4}})
        await told.wait()
        await cached.seen(written)  # read-your-writes: the memory is as new as what was written
        print(f"cache: replicas of all: {sum(each.spec.replicas for each in cached.list())}")
