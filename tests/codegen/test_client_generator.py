"""The client of a project's kinds: typed, formatted, stable, and no harm to what a person wrote."""

from __future__ import annotations

import ast
import asyncio
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright import Client, Informers, ParseError, Resource, custom_resource
from kubewright.codegen.client_files import generate_client, line_length
from kubewright.codegen.client_modules import client_modules
from kubewright.codegen.client_names import ClientGroup, ClientKind, client_groups
from kubewright.codegen.generated_files import Written
from kubewright.codegen.project import CLIENT_HEADER, ProjectError, load_project
from kubewright.sync import Client as BlockingClient
from kubewright.testing import Cluster
from tests.codegen.projects import HEAD, KINDS, importing, kind, write_project
from tests.examples.programs import ROOT

BIN = Path(sys.executable).parent
FILES = ["__init__.py", "clientset.py", "informers.py", "listers.py", "py.typed", "sync.py"]


@pytest.fixture(autouse=True)
def _imports() -> Iterator[None]:
    with importing():
        yield


def generate(folder: Path, package: str | None = None, output: Path | None = None) -> Written:
    """What a run did, without sentences about what is left out."""
    notes: list[str] = []
    _, written = generate_client(folder, package, output, note=notes.append)
    assert notes == []
    return written


def shop(folder: Path, **files: str) -> Path:
    """A project with two kinds in one module, and other files in its package."""
    more = {f"src/shop/{name}.py": text for name, text in files.items()}
    return write_project(
        folder, {"src/shop/__init__.py": "", "src/shop/kinds.py": KINDS, **more}, package="shop"
    )


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    """A project with all that makes names collide."""
    old = kind("Order", version="v1beta1", storage=False) + kind("Gone", version="v1beta1")
    files = {
        "src/hard/__init__.py": "",
        "src/hard/v1/__init__.py": "",
        "src/hard/v1/types.py": (
            HEAD
            + "\n\nfrom hard.v1beta1.types import Order as OldOrder\n"
            + kind("Order", short_names=["o"]).replace(")\nclass", ", versions=[OldOrder])\nclass")
            + kind("Client", scope="Cluster")
            + kind("Lambda", plural="lambda")
            + kind("Informer")
            + kind("OrderLister")
            + kind("ShopExampleComV1")
            + kind("ServiceCIDR", plural="service-cidrs")
        ),
        "src/hard/v1beta1/__init__.py": "",
        "src/hard/v1beta1/types.py": HEAD + old,
        "src/hard/v10.py": HEAD + kind("Order", version="v10", group="other.example.com"),
        # Another group with the same first word, one with a dash, one with a digit first.
        "src/hard/groups.py": (
            HEAD
            + kind("Order", group="shop.other.org")
            + kind("Order3", group="3d-print.example.com", kind="Order")
            + "\n\nPrinted = Order3\ndel Order3\n"
        ),
    }
    return write_project(tmp_path, files, package="hard")


@pytest.mark.slow
def test_mypy_and_ruff_are_content_and_every_run_makes_the_same(hard: Path) -> None:
    done = generate(hard)
    client = hard / "src/hard/client"
    assert done == Written([client / name for name in FILES], [])
    texts = {name: (client / name).read_text() for name in FILES}
    assert generate(hard) == Written([], [])
    (client / "listers.py").write_text(f'"""Old.\n\n{CLIENT_HEADER}\n"""\n')
    assert [path.name for path in generate(hard).written] == ["listers.py"]
    assert {name: (client / name).read_text() for name in FILES} == texts
    (hard / "src/hard/use.py").write_text(USE)
    for command in (
        ["mypy", "--strict", "--no-incremental", "-p", "hard.client", "-m", "hard.use"],
        ["ruff", "check", "--no-cache", "--ignore-noqa", "--select", "E,F,I,N,UP,RUF,B,PL,RET,SIM,A", client],
        ["ruff", "check", "--no-cache", "--select", "ALL", client],
        ["ruff", "format", "--no-cache", "--diff", client],
    ):
        checked(command, hard)


USE = """
from typing import assert_type

from kubewright import Api, Client, Informer, Informers
from kubewright.informers import Lister
from kubewright.sync import Api as BlockingApi
from kubewright.sync import Client as BlockingClient

from hard.client import Clientset, InformerFactory, Listers
from hard.client.listers import ClientLister, ShopExampleComV1OrderLister
from hard.client.sync import Clientset as BlockingClientset
from hard.v1.types import Client as ClientKind
from hard.v1.types import Order
from hard.v1beta1.types import Order as OldOrder


def use(client: Client, informers: Informers, blocking: BlockingClient) -> None:
    assert_type(Clientset(client).shop_example_com_v1.orders("default"), Api[Order])
    assert_type(Clientset(client).shop_example_com_v1beta1.orders(), Api[OldOrder])
    assert_type(Clientset(client).shop_example_com_v1.clients(), Api[ClientKind])
    assert_type(BlockingClientset(blocking).shop_example_com_v1.clients(), BlockingApi[ClientKind])
    orders = InformerFactory(informers).shop_example_com_v1.orders(
        ["a", "b"], labels={"a": "b"}, fields="", index={"size": lambda order: [str(order.spec.size)]}
    )
    assert_type(orders, Informer[Order])
    reads: ShopExampleComV1OrderLister = orders
    assert_type(reads.get("a/b"), Order | None)
    assert_type(Listers(informers).shop_example_com_v1.clients(), Lister[ClientKind])
    also: ClientLister = Listers(informers).shop_example_com_v1.clients()
"""


def checked(command: list[Any], folder: Path) -> None:
    environment = {**os.environ, "MYPYPATH": str(folder / "src")}
    done = subprocess.run(
        [BIN / command[0], *command[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_names(hard: Path) -> None:
    groups = {group.attribute: group for group in client_groups(load_project(hard).kinds)}
    assert {name: [kind.method for kind in group.kinds] for name, group in groups.items()} == {
        "n3d_print_v1": ["orders"],
        "other_v10": ["orders"],
        "shop_example_com_v1": [
            "clients",
            "informers",
            "lambda_",
            "order_listers",
            "orders",
            "service_cidrs",
            "shop_example_com_v1s",
        ],
        "shop_example_com_v1beta1": ["gones", "orders"],
        "shop_other_org_v1": ["orders"],
    }
    (printed,) = groups["n3d_print_v1"].kinds
    assert (printed.module, printed.imported, printed.lister) == (
        "hard.groups",
        "Printed",
        "N3dPrintV1OrderLister",
    )
    first = {kind.method: kind for kind in groups["shop_example_com_v1"].kinds}
    assert first["clients"].imported == "Client as ShopExampleComV1Client"
    assert first["orders"].imported == "Order as ShopExampleComV1Order"
    assert first["shop_example_com_v1s"].imported == "ShopExampleComV1 as ShopExampleComV1ShopExampleComV1"
    # What is called so already is no lister of orders.
    assert first["order_listers"].type == "OrderLister"
    assert first["order_listers"].lister == "OrderListerLister"
    assert not first["clients"].namespaced
    every = [name for group in groups.values() for kind in group.kinds for name in (kind.type, kind.lister)]
    assert len(set(every)) == len(every)
    shuffled = load_project(hard).kinds[::-1]
    assert client_groups(shuffled) == list(groups.values())


WORDS = st.sampled_from(["shop", "shop-a", "a", "3d", "list", "core", "import", "v1"])
KIND_NAMES = st.sampled_from(
    [
        "Order",
        "OrderLister",
        "Client",
        "Lister",
        "AV1",
        "AV1Informers",
        "AV1Order",
        "Class",
        "V1",
        "Final",
        "None",
    ]
)


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            st.lists(WORDS, min_size=2, max_size=3).map(".".join),
            st.sampled_from(["v1", "v1beta1", "v2", "v1-x"]),
            KIND_NAMES,
        ),
        min_size=1,
        max_size=12,
        unique=True,
    )
)
def test_no_two_names_are_the_same(declared: list[tuple[str, str, str]]) -> None:
    modules = [ModuleType(f"many.m{number}") for number in range(len(declared))]
    classes: list[type[Resource]] = []
    for module, (group, version, name) in zip(modules, declared, strict=True):
        made: Any = type(Resource)
        made = made(name, (Resource,), {"__module__": module.__name__})
        classes.append(custom_resource(group=group, version=version, deferred=True)(made))
        module.__dict__[name if name != "None" else "none"] = classes[-1]
    with importing():
        sys.modules.update({module.__name__: module for module in modules})
        groups = client_groups(classes)
        assert client_groups(classes[::-1]) == groups
    assert sum(len(group.kinds) for group in groups) == len(declared)
    for name, text in client_modules("many", groups, width=88).items():
        for scope in ast.walk(ast.parse(text, name)):
            if isinstance(scope, ast.Module | ast.ClassDef):
                names = _defined(scope.body)
                assert len(set(names)) == len(names), (name, names)
            if isinstance(scope, ast.FunctionDef) and scope.name == "__init__":
                targets = [ast.unparse(each.target) for each in scope.body if isinstance(each, ast.AnnAssign)]
                assert len(set(targets)) == len(targets), (name, targets)


def _defined(body: list[ast.stmt]) -> list[str]:
    """What statements define."""
    names = []
    for each in body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef):
            names.append(each.name)
        elif isinstance(each, ast.AnnAssign):
            names.append(ast.unparse(each.target))
        elif isinstance(each, ast.ImportFrom):
            names += [alias.asname or alias.name for alias in each.names]
    return names


def test_two_kinds_of_one_method(tmp_path: Path) -> None:
    text = HEAD + kind("ServiceCidr", plural="servicecidrs") + kind("ServiceCIDR", plural="service-cidrs")
    classes = load_project(write_project(tmp_path, {"nets.py": text}), "nets").kinds
    for ordered in (classes, classes[::-1]):
        (group,) = client_groups(ordered)
        assert {kind.method: kind.plural for kind in group.kinds} == {
            "service_cidrs": "service-cidrs",
            "service_cidrs_": "servicecidrs",
        }


def test_two_kinds_of_one_plural(tmp_path: Path) -> None:
    text = HEAD + kind("FooBar", plural="foobars") + kind("Foobar", plural="foobars")
    folder = write_project(tmp_path, {"shop/__init__.py": text}, package="shop")
    with pytest.raises(
        ProjectError, match=r"FooBar in shop and Foobar in shop are both called foobars\.shop\."
    ):
        generate(folder)


def test_versions_that_are_not_served_are_left_out(tmp_path: Path) -> None:
    folder = shop(tmp_path, old=HEAD + kind("Order", version="v1alpha1", storage=False, served=False))
    notes: list[str] = []
    generate_client(folder, None, None, note=notes.append)
    assert notes == ["Order of shop.example.com/v1alpha1 is not served, so it is left out"]
    assert "alpha" not in (folder / "src/shop/client/clientset.py").read_text()


def test_it_reaches_a_cluster(tmp_path: Path) -> None:
    generate(shop(tmp_path))
    client_package = importlib.import_module("shop.client")
    blocking_clientset = importlib.import_module("shop.client.sync").Clientset
    kinds = importlib.import_module("shop.kinds")

    async def use(cluster: Cluster) -> None:
        async with Client(cluster.config) as client, Informers(client) as informers:
            for each in (kinds.Order, kinds.Warehouse):
                await client.apiextensions_v1.custom_resource_definitions().create(each.crd())
                await client.apiextensions_v1.custom_resource_definitions().wait_for(
                    each.crd().metadata.name, "Established", timeout=60
                )
            shop = client_package.Clientset(client).shop_v1
            order = await shop.orders("default").create({"metadata": {"name": "o"}, "spec": {"size": 4}})
            await shop.warehouses().create({"metadata": {"name": "w", "labels": {"a": "b"}}, "spec": {}})
            orders = client_package.InformerFactory(informers).shop_v1.orders(
                index={"size": lambda order: [str(order.spec.size)]}
            )
            warehouses = client_package.InformerFactory(informers).shop_v1.warehouses(labels="a=b")
            lister = client_package.Listers(informers).shop_v1.orders()
            assert lister is orders
            await informers.synced()
            await orders.seen(order)
            assert type(lister.get("default/o")) is kinds.Order
            assert [each.metadata.name for each in orders.by("size", "4")] == ["o"]
            assert [each.metadata.name for each in warehouses.list()] == ["w"]
            assert client_package.Listers(informers).shop_v1.orders("default") is not orders

    with Cluster.in_thread(controllers="none") as cluster:
        asyncio.run(use(cluster))
        with BlockingClient(cluster.config) as client:
            assert blocking_clientset(client).shop_v1.orders("default").get("o").spec.size == 4
            assert blocking_clientset(client).shop_v1.warehouses().get("w").spec.size == 1


class TestFiles:
    def test_what_a_person_wrote_stays_and_nothing_is_written(self, tmp_path: Path) -> None:
        for name in FILES:
            folder = shop(tmp_path / name)
            output = folder / "out"
            output.mkdir()
            (output / name).write_text("mine = 1\n")
            if name == "py.typed":
                assert len(generate(folder, None, output).written) == len(FILES) - 1
            else:
                with pytest.raises(ParseError, match=r"was not generated and stays as it is; name another"):
                    generate(folder, None, output)
                assert [path.name for path in output.iterdir()] == [name]
            assert (output / name).read_text() == "mine = 1\n"
            sys.modules.pop("shop.kinds")
            sys.modules.pop("shop")

    def test_only_generated_modules_are_deleted(self, tmp_path: Path) -> None:
        folder = shop(tmp_path)
        client = folder / "src/shop/client"
        generate(folder)
        (client / "old.py").write_text(f'"""Old.\n\n{CLIENT_HEADER}\n"""\n')
        (client / "mine.py").write_text(f'mine = """\n\n\n{CLIENT_HEADER}\n"""\n')
        assert generate(folder) == Written([], [client / "old.py"])
        assert {path.name for path in client.iterdir()} == {*FILES, "mine.py"}
        (client / "old.py").write_text(f'"""Old.\n\n{CLIENT_HEADER}\n"""\n')
        (client / "sync.py").write_text("mine = 1\n")
        with pytest.raises(ParseError):
            generate(folder)
        assert (client / "old.py").exists()

    def test_where_it_is_written(self, tmp_path: Path) -> None:
        folder = write_project(tmp_path, {"orders.py": KINDS})
        with pytest.raises(ProjectError, match=r"orders is one module .* say where with --output"):
            generate(folder, "orders")
        assert generate(folder, "orders", folder / "a" / "b").written[0] == folder / "a/b/__init__.py"
        assert "from orders import Order, Warehouse\n" in (folder / "a/b/clientset.py").read_text()

    def test_it_may_be_the_package_itself(self, tmp_path: Path) -> None:
        folder = write_project(tmp_path, {"shop/kinds.py": KINDS}, package="shop")
        assert len(generate(folder, None, folder / "shop").written) == len(FILES)
        assert generate(folder, None, folder / "shop") == Written([], [])

    def test_no_kinds(self, tmp_path: Path) -> None:
        folder = write_project(tmp_path, {"a/__init__.py": "", "b.py": HEAD + kind("A", served=False)})
        with pytest.raises(ProjectError, match=r"a has no custom resources; declare one"):
            generate(folder, "a")
        with pytest.raises(ProjectError, match=r"b has no custom resource that is served"):
            generate_client(folder, "b", folder / "out", note=lambda _: None)
        assert not (folder / "a/client").exists()


class TestStaleClients:
    """A controller imports the client, which is stale or not there yet when it is generated."""

    CONTROLLER = (
        "from shop import client\n"
        "from shop.client import Clientset\n"
        "from shop.client.listers import OrderLister\n"
        "import shop.client.sync as blocking\n"
        "\n"
        "Reads = dict[str, OrderLister]\n"
        "SHOP = Clientset(None).shop_v1.orders('default')\n"
        "class Mine(client.InformerFactory):\n    pass\n"
    )

    def test_one_that_is_not_there_yet(self, tmp_path: Path) -> None:
        folder = shop(tmp_path, controller=self.CONTROLLER)
        generate(folder)
        assert importlib.import_module("shop.client").Clientset.__module__ == "shop.client.clientset"

    def test_one_whose_kind_has_gone(self, tmp_path: Path) -> None:
        folder = shop(tmp_path, controller=self.CONTROLLER)
        generate(folder)
        for name in [name for name in sys.modules if name.partition(".")[0] == "shop"]:
            del sys.modules[name]
        (folder / "src/shop/kinds.py").write_text(HEAD + kind("Order") + kind("Depot"))
        assert [path.name for path in generate(folder).written] == [
            "clientset.py",
            "informers.py",
            "listers.py",
            "sync.py",
        ]
        assert "Warehouse" not in (folder / "src/shop/client/clientset.py").read_text()

    def test_one_that_is_imported_already_stays(self, tmp_path: Path) -> None:
        folder = shop(tmp_path)
        generate(folder)
        client = importlib.import_module("shop.client")
        parent = importlib.import_module("shop")
        generate(folder)
        assert importlib.import_module("shop.client") is client is parent.client

    def test_a_persons_package_is_no_client(self, tmp_path: Path) -> None:
        folder = shop(tmp_path)
        (folder / "src/shop/client").mkdir()
        (folder / "src/shop/client/__init__.py").write_text(HEAD + kind("Basket"))
        with pytest.raises(ParseError, match=r"client/__init__\.py was not generated"):
            generate(folder)
        with pytest.raises(ParseError, match=r"shop/__init__\.py was not generated"):
            generate(folder, None, folder / "src" / "shop")


LONG = [4, 20, 36, 52]
"""Lengths of names; 63 is the longest that servers accept."""


@pytest.mark.parametrize("width", [70, 79, 88, 100, 110, 120])
def test_long_names_are_broken_as_ruff_breaks_them(tmp_path: Path, width: int) -> None:
    def kinds(module: str, namespaced: bool) -> list[ClientKind]:
        return [
            ClientKind(
                module=module,
                imported=f"K{'x' * length}",
                type=f"K{'x' * length}",
                plural=f"k{'x' * length}s",
                namespaced=namespaced,
                method=f"k{'x' * length}s",
                lister=f"K{'x' * length}Lister",
            )
            for length in LONG
        ]

    word = "organisation" * 4
    groups = [
        ClientGroup(
            api_version="a.example.com/v1", attribute="a_v1", class_name="AV1", kinds=kinds("a", True)
        ),
        ClientGroup(
            api_version=f"{word}.example.com/v1beta1",
            attribute=f"{word}_v1beta1",
            class_name=f"{word.capitalize()}V1beta1",
            kinds=kinds("a", False),
        ),
    ]
    for name, text in client_modules("shop", groups, width=width).items():
        (tmp_path / name).write_text(text)
    checked(
        ["ruff", "format", "--isolated", "--no-cache", "--diff", f"--line-length={width}", tmp_path], tmp_path
    )


@pytest.mark.parametrize(
    ("files", "width"),
    [
        ({}, 88),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 110"}, 110),
        ({"pyproject.toml": "[tool.black]\nline-length = 79"}, 79),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 110\n[tool.black]\nline-length = 79"}, 110),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 110", "ruff.toml": "line-length = 100"}, 100),
        ({".ruff.toml": "line-length = 90", "ruff.toml": "line-length = 100"}, 90),
        ({"pyproject.toml": "tool = 1"}, 88),
        ({"pyproject.toml": "no ="}, 88),
    ],
)
def test_the_line_length_is_the_projects(tmp_path: Path, files: dict[str, str], width: int) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert line_length(tmp_path) == width


def test_the_example_is_as_a_fresh_run_makes_it(tmp_path: Path) -> None:
    generate(ROOT, "examples.network", tmp_path / "client")
    committed = ROOT / "examples/network/client"
    assert {path.name: path.read_text() for path in (tmp_path / "client").iterdir()} == {
        path.name: path.read_text() for path in committed.iterdir() if path.is_file()
    }, "run kubewright generate client --package examples.network"
