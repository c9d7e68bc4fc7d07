"""The pytest plugin: every test that asks for one gets a cluster of its own."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import json
import ssl
import urllib.request

seen = []


def ask(kube_cluster, path, body=None):
    request = urllib.request.Request(
        kube_cluster.url + path,
        data=body and json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {kube_cluster.token}", "Content-Type": "application/json"},
    )
    context = ssl.create_default_context(cafile=kube_cluster.ca_file)
    with urllib.request.urlopen(request, context=context) as answer:
        return json.load(answer)


def uses(kube_cluster):
    items = ask(kube_cluster, "/api/v1/namespaces/default/configmaps")["items"]
    assert "mine" not in [each["metadata"]["name"] for each in items]
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}}
    ask(kube_cluster, "/api/v1/namespaces/default/configmaps", body)
    seen.append((kube_cluster.url, kube_cluster.token))


def test_one(kube_cluster):
    uses(kube_cluster)


def test_another(kube_cluster):
    uses(kube_cluster)
    assert len(set(seen)) == 2


def test_the_first_is_gone():
    import pytest

    with pytest.raises(OSError):
        urllib.request.urlopen(seen[0][0], context=ssl._create_unverified_context())


def test_without():
    import sys

    assert "kubewright.testing.plugin" in sys.modules
"""


def test_each_test_gets_a_cluster_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    # With a process of its own: the plugin is found as users find it, by its entry point.
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error")
    result.assert_outcomes(passed=4)


def test_a_run_without_clusters_loads_no_server(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_it():
            assert "kubewright.testing.plugin" in sys.modules
            loaded = [name for name in sys.modules if name.startswith("kubewright.server")]
            assert loaded == []
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error")
    result.assert_outcomes(passed=1)


def test_the_fixture_is_listed(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--fixtures", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["kube -- *", "*A client of a cluster that nobody else uses*"])


ASYNC_TESTS = """
import asyncio
import pytest
from kubewright.models.core_v1 import ConfigMap, Namespace

seen = []


async def test_one(kube):
    seen.append(kube)
    made = await kube.core_v1.config_maps("default").create({"metadata": {"name": "mine"}})
    assert made.metadata.uid


async def test_another(kube, tmp_path):
    names = [found.metadata.name async for found in kube.api(ConfigMap, "default").list()]
    assert "mine" not in names
    assert kube is not seen[0]
    assert tmp_path.is_dir()


async def test_that_fails(kube):
    await kube.api(Namespace).get("nobody")


def test_without_await(kube_sync, kube_cluster):
    assert kube_sync.api(Namespace).get("default").metadata.name == "default"
    assert kube_sync.config.server == kube_cluster.url


def test_no_session_was_left_open():
    from kubewright.machinery.errors import TransportError

    with pytest.raises(TransportError, match="the client is closed"):
        asyncio.run(seen[0].version())
"""


def test_async_tests_get_a_client(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(ASYNC_TESTS)
    result = pytester.runpytest_subprocess("-W", "error", "-p", "no:asyncio", "-p", "no:anyio")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(['*NotFound*namespaces "nobody" not found*'])


MARKED_TESTS = """
import pytest
from kubewright.models.core_v1 import Node, ServiceAccount

pytestmark = pytest.mark.kube(controllers="none")


async def test_of_the_module(kube):
    assert [each async for each in kube.api(ServiceAccount).list()] == []


@pytest.mark.kube(controllers=["serviceaccount"], nodes=0)
async def test_of_the_nearest(kube, kube_cluster):
    assert [entry.alias for entry in kube_cluster.controllers] == ["serviceaccount"]
    await kube.api(ServiceAccount, "default").wait_for("default", lambda _: True, timeout=60)
"""


def test_options_of_the_cluster_stand_in_a_mark(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MARKED_TESTS)
    arguments = ("-W", "error", "-p", "no:asyncio", "-p", "no:anyio", "--strict-markers")
    pytester.runpytest_subprocess(*arguments).assert_outcomes(passed=2)
