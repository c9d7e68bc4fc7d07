"""Every program in README and docs/ that has a controller works under the rights that are derived for it.

Each is put into a project as it is printed, and run as a service account that has the roles which `kubewright
manifests` makes of it, and nothing else. What it does is watched: no request may be refused with 403.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from examples.custompod import controller as custompod
from examples.custompod.types import CustomPod
from examples.network import controller as network
from examples.network.types import Network
from kubewright import Client
from kubewright.codegen.manifests import manifests_of
from kubewright.codegen.project import load_project
from kubewright.controllers import is_true
from kubewright.controllers.roles import policy_rules
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, Event, Pod, Service
from kubewright.testing import Cluster, RunningOperator, define, run_operator
from kubewright.testing.rights import derive_rights
from kubewright.webhooks import WebhookServer, install
from tests.docs.pages import DOCS, ROOT

Run = Callable[[Client, ModuleType, RunningOperator], Awaitable[None]]


def programs_of(page: str) -> list[str]:
    path = ROOT / page if page == "README.md" else DOCS / page
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE)


class Program(NamedTuple):
    """Programs of a page that belong together."""

    page: str
    blocks: tuple[int, ...]
    run: Run
    setup: str = "setup"
    before: str = ""
    """What the page takes for granted: lines that come first."""
    after: str = ""
    """Lines that register what the page registers in prose."""
    kinds: tuple[str, ...] = ()
    webhooks: bool = False
    election: str = ""
    kind_module: str = ""
    """Where the first program is, in a package that the others call operator_demo."""

    def __str__(self) -> str:
        return f"{self.page}-{self.setup}-{'-'.join(map(str, self.blocks))}"

    def write(self, folder: Path) -> None:
        """Make a package of it."""
        printed = [programs_of(self.page)[number] for number in self.blocks]
        if self.kind_module:
            place = folder / f"{self.kind_module.replace('.', '/')}.py"
            place.parent.mkdir(parents=True)
            place.write_text(printed.pop(0))
        text = "\n\n".join((self.before, *printed, self.after)).lstrip()
        (folder / "__init__.py").touch()
        (folder / "main.py").write_text(text.replace("operator_demo", folder.name))


async def mirrors(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    maps = client.api(ConfigMap, "default")
    await maps.create({"metadata": {"name": "colors", "labels": {"mirror": ""}}, "data": {"sky": "blue"}})
    await operator.settled()
    await maps.patch("colors", {"data": {"sky": "red"}})
    await operator.settled()
    assert (await maps.get("colors-mirror")).data == {"sky": "red"}
    await maps.delete("colors-mirror")
    await operator.settled()
    assert (await maps.get("colors-mirror")).metadata.owner_references


async def registers(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    services = client.api(Service, "default")
    await services.create(
        {"metadata": {"name": "web", "labels": {"dns": ""}}, "spec": {"ports": [{"port": 80}]}}
    )
    await operator.settled()
    assert (await services.get("web")).metadata.finalizers == ["example.com/dns"]
    assert [each async for each in client.api(Event, "default").list() if each.reason == "Registered"]
    await services.delete("web")
    await operator.settled()
    assert "web" not in [each.metadata.name async for each in services.list()]


async def websites(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    sites, deployments = client.api(module.Website, "default"), client.api(Deployment, "default")
    await sites.create({"metadata": {"name": "shop"}, "spec": {"image": "nginx:1", "replicas": 2}})
    await operator.settled()
    await sites.patch("shop", {"spec": {"image": "nginx:2"}})
    await operator.settled()
    assert (await deployments.get("shop")).spec.template.spec.containers[0].image == "nginx:2"
    await deployments.patch("shop", {"status": {"replicas": 2, "readyReplicas": 2}}, subresource="status")
    await operator.settled()
    assert (await sites.get("shop")).status.ready == 2


async def websites_and_settings(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    await websites(client, module, operator)
    before = operator.reconciled()
    await client.api(ConfigMap, "default").create({"metadata": {"name": "any"}})
    await operator.settled()
    assert operator.reconciled() > before


async def sites(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    api = client.api(module.Site, "default")
    await api.create({"metadata": {"name": "shop"}, "spec": {"host": "shop.example.com"}})
    await operator.settled()
    assert (await client.api(ConfigMap, "default").get("shop-config")).data == {"host": "shop.example.com"}
    assert is_true((await api.get("shop")).status.conditions, "Ready")
    await api.patch("shop", {"spec": {"host": "new.example.com"}})
    await operator.settled()
    assert (await client.api(ConfigMap, "default").get("shop-config")).data == {"host": "new.example.com"}
    await api.delete("shop")
    await operator.settled()
    assert not await api.list().to_list()


async def slow_sites(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    api = client.api(module.Site, "default")
    await api.create({"metadata": {"name": "shop"}, "spec": {"host": "shop.example.com"}})
    await operator.settled()
    assert (await api.get("shop")).metadata.finalizers
    await api.delete("shop")
    await operator.settled()
    assert not await api.list().to_list()


async def copies(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    """To another cluster, for which the roles of this one say nothing."""
    labels = {"example.com/everywhere": ""}
    await client.api(ConfigMap, "default").create(
        {"metadata": {"name": "a", "labels": labels}, "data": {"b": "c"}}
    )
    await operator.settled()
    assert (await module.EU[0].api(ConfigMap, "default").get("a")).data == {"b": "c"}


async def databases(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    api = client.api(module.Database, "default")
    await api.create({"metadata": {"name": "orders"}, "spec": {"size": 2}})
    await operator.settled()
    assert is_true((await api.get("orders")).status.conditions, "Ready")
    await operator.advance(61)
    await api.delete("orders")
    await operator.settled()
    assert not await api.list().to_list()


async def followers(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    api = client.api(module.Database, "default")
    await api.create({"metadata": {"name": "orders"}, "spec": {}})
    await operator.settled()
    await api.delete("orders")
    await operator.settled()


async def rentals(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    api = client.api(module.Rental, "default")
    await api.create({"metadata": {"name": "boat"}, "spec": {"seconds": 3600}})
    await operator.settled()
    await client.api(ConfigMap, "default").delete("boat")
    await operator.settled()
    await client.api(ConfigMap, "default").get("boat")
    await operator.advance(3700)
    assert is_true((await api.get("boat")).status.conditions, "Over")


async def custom_pods(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    api, pods = client.api(module.CustomPod, "default"), client.api(Pod, "default")
    await api.create({"metadata": {"name": "web"}})
    for replicas in (1, 3, 1):
        await api.set_scale("web", replicas)
        await operator.settled()
        assert len(await pods.list().to_list()) == replicas
        assert (await api.get("web")).status.replicas == replicas
    await pods.delete_collection()
    await operator.settled()
    assert len(await pods.list().to_list()) == 1
    await api.delete("web")
    await operator.settled()


async def networks(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    api = client.api(Network, "default")
    spec = {"cidr": "192.168.0.0/16", "gateway": "192.168.0.1"}
    for name in ("one", "two"):
        await api.create({"metadata": {"name": name}, "spec": spec})
        await operator.settled()
    assert is_true((await api.get("one")).status.conditions, "Ready")
    assert not is_true((await api.get("two")).status.conditions, "Ready")
    await client.api(ConfigMap, "default").get("one-plan")
    await api.delete("one")
    await operator.settled()
    assert is_true((await api.get("two")).status.conditions, "Ready")


async def images(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    """The webhook reads through the manager's cache, as the operator's account."""
    api = client.api(module.App, "default")
    await api.create({"metadata": {"name": "web"}, "spec": {"image": "web:1"}})
    await operator.settled()
    cached = operator.manager.cached.api(module.App, "default")
    assert [each.metadata.name for each in await cached.by("image", "web:1")] == ["web"]
    with pytest.raises(Exception, match="web runs web:1 already"):
        await api.create({"metadata": {"name": "other"}, "spec": {"image": "web:1"}})


async def config_maps(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    await client.api(ConfigMap, "default").create({"metadata": {"name": "a"}})
    await operator.settled()
    assert operator.reconciled()


async def nothing(client: Client, module: ModuleType, operator: RunningOperator) -> None:
    """The page declares, and its reconciler does nothing."""
    await operator.settled()


PROGRAMS = [
    Program("README.md", (3,), mirrors, election="mirrors"),
    Program("README.md", (4,), registers),
    Program("controllers.md", (0,), websites, kinds=("Website",), election="websites.example.com"),
    Program("controllers.md", (0, 1), websites_and_settings, setup="setup_more", kinds=("Website",)),
    Program(
        "controllers-helpers.md",
        (0,),
        sites,
        kinds=("Site",),
        after="def setup(manager): manager.controller(Site, reconcile, owns=[ConfigMap])",
    ),
    Program(
        "controllers-helpers.md",
        (0, 1),
        slow_sites,
        kinds=("Site",),
        after="def setup(manager): manager.controller(Site, reconcile_slowly)\ndns = set()",
    ),
    Program(
        "controllers-helpers.md",
        (0, 2),
        copies,
        after="EU = [None]\n\ndef setup(manager): set_up(manager, EU[0])",
    ),
    Program("from-client-go.md", (0,), mirrors),
    Program("from-kopf.md", (0,), databases, kinds=("Database",)),
    Program("from-kopf.md", (0, 1), followers, setup="setup_followers", kinds=("Database",)),
    Program("testing.md", (0,), rentals, kinds=("Rental",)),
    Program(
        "testing.md",
        (0, 5),
        rentals,
        setup="setup_all",
        kinds=("Rental",),
        webhooks=True,
        before=(
            "import pytest\nfrom kubewright import Client\n"
            "from kubewright.testing import define, run_operator"
        ),
    ),
    Program("tutorial.md", (0, 1), custom_pods, kinds=("CustomPod",), kind_module="api.v1.custompod"),
    Program(
        "tutorial.md", (0, 3), nothing, kinds=("CustomPod",), kind_module="api.v1.custompod", webhooks=True
    ),
    Program("webhooks.md", (0, 1), images, kinds=("App",), webhooks=True),
    Program(
        "manifests.md",
        (0, 1),
        nothing,
        kinds=("CustomPod",),
        before=(
            "from examples.custompod.types import CustomPod\n"
            "from examples.custompod.webhook import check\n"
            "from kubewright.models.core_v1 import ConfigMap\n\n"
            "def users_of(settings): return ()"
        ),
    ),
    Program(
        "operating.md",
        (3,),
        config_maps,
        before=(
            "import logging\nfrom kubewright import Context, Request\n"
            "from kubewright.models.core_v1 import ConfigMap"
        ),
        after="def setup(manager): manager.controller(ConfigMap, reconcile)",
    ),
]

NO_CONTROLLER = {
    ("access.md", 1): "a test with clients of several accounts; it makes the roles itself",
    ("manifests.md", 2): "declarations of webhooks, which send no requests",
    ("operating.md", 0): "the main function around the reconciler that is run here",
    ("operating.md", 1): "a metric of one's own",
    ("operating.md", 2): "checks of one's own",
    ("testing.md", 1): "tests of the operator, run by tests/testing",
    ("testing.md", 2): "as above",
    ("testing.md", 3): "as above",
    ("testing.md", 4): "as above",
    ("tutorial.md", 2): "tests of the operator, run by tests/docs/test_tutorial.py",
    ("webhooks.md", 2): "tests of the functions, which send no requests",
}
"""Programs that mention a manager or a context, and have no controller of their own."""


@asynccontextmanager
async def cluster_with(*kinds: Any) -> Any:
    async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
        # docs/manifests.md has rights in it.
        await client.dynamic("v1", "Namespace").create({"metadata": {"name": "builds"}})
        await define(client, *kinds)
        yield client


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules and paths of projects are forgotten after a test."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("documented_"):
            del sys.modules[name]


def check_requests(operator: RunningOperator) -> None:
    refused = {each: n for each, n in operator.manager.client.request_counts.items() if each[1] == 403}
    assert refused == {}


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_program(program: Program, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    package = f"documented_{re.sub('[^a-z]', '_', program.page.lower())}_{'_'.join(map(str, program.blocks))}"
    (tmp_path / package).mkdir()
    program.write(tmp_path / package)
    (tmp_path / "pyproject.toml").write_text(f'[tool.kubewright]\npackage = "{package}"\n')
    project = load_project(tmp_path)
    module = sys.modules[f"{package}.main"]
    # The roles are those that the command writes.
    written = manifests_of(project, setup=f"{package}.main:{program.setup}").roles

    async def main() -> None:
        kinds = [getattr(module, name) for name in program.kinds]
        async with (
            cluster_with(*kinds) as client,
            Cluster(controllers="none") as other,
            Client(other.config) as eu,
        ):
            if hasattr(module, "EU"):
                module.EU[0] = eu
            await run(client)

    async def run(client: Client) -> None:
        setup = getattr(module, program.setup)
        rights = await derive_rights(setup)
        assert rights.notes == []
        everywhere = [each for each in rights.permissions if not each.namespace]
        rules = [role["rules"] for role in written if role["kind"] == "ClusterRole"]
        assert rules == ([[each.to_dict() for each in policy_rules(everywhere)]] if everywhere else [])
        options: dict[str, Any] = {"leader_election": program.election or None}
        if not program.webhooks:
            async with run_operator(client, setup, rights="derived", **options) as operator:
                await program.run(client, module, operator)
                check_requests(operator)
            return
        async with (
            WebhookServer() as webhooks,
            run_operator(client, setup, rights="derived", webhooks=webhooks, **options) as operator,
        ):
            await install(client, webhooks, name="documented")
            await program.run(client, module, operator)
            check_requests(operator)

    asyncio.run(main())
    assert "forbidden" not in caplog.text


@pytest.mark.parametrize(
    ("example", "kind", "run"), [(custompod, CustomPod, custom_pods), (network, Network, networks)]
)
def test_an_example(example: ModuleType, kind: Any, run: Run, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with cluster_with(kind) as client:
            assert (await derive_rights(example.setup)).notes == []
            async with run_operator(client, example.setup, rights="derived") as operator:
                await run(client, example, operator)
                check_requests(operator)

    asyncio.run(main())
    assert "forbidden" not in caplog.text


def has_controller(text: str) -> bool:
    """Whether a program may be one that a manager runs."""
    return bool(re.search(r"\bctx\b|\bmanager\.|\bManager\b|\breview\b", text))


def test_no_program_is_left_out() -> None:
    pages = ["README.md", *sorted(path.name for path in DOCS.glob("*.md"))]
    run = {(program.page, number) for program in PROGRAMS for number in program.blocks}
    found = {
        (page, number)
        for page in pages
        for number, text in enumerate(programs_of(page))
        if has_controller(text)
    }
    assert found - run - NO_CONTROLLER.keys() == set()
    assert NO_CONTROLLER.keys() & run == set()
