"""The pytest plugin: every test that asks for `kube` gets a cluster of its own."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import json
import ssl
import urllib.request

seen = []


def ask(kube, path, body=None):
    request = urllib.request.Request(
        kube.url + path,
        data=body and json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {kube.token}", "Content-Type": "application/json"},
    )
    context = ssl.create_default_context(cafile=kube.ca_file)
    with urllib.request.urlopen(request, context=context) as answer:
        return json.load(answer)


def uses(kube):
    items = ask(kube, "/api/v1/namespaces/default/configmaps")["items"]
    assert "mine" not in [each["metadata"]["name"] for each in items]
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}}
    ask(kube, "/api/v1/namespaces/default/configmaps", body)
    seen.append((kube.url, kube.token))


def test_one(kube):
    uses(kube)


def test_another(kube):
    uses(kube)
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
    result.stdout.fnmatch_lines(["kube -- *", "*A cluster that nobody else uses*"])
