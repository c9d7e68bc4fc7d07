"""kubectl's own view of a cluster whose nodes pretend: what people type, and what they get to see."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from kubewright.testing import Cluster
from tests.realcluster.binaries import find_kubectl

pytestmark = pytest.mark.slow

PATIENCE = 120.0
"""Seconds that anything may take on a busy machine."""

Kubectl = Callable[..., str]

NODES = "jsonpath={.items[*].spec.nodeName}"

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: "nginx:1", resources: {requests: {cpu: 100m}}}]
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(nodes=2) as cluster:
        yield cluster


@pytest.fixture
def kubectl(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[Kubectl]:
    """kubectl in a namespace of its own; fails when kubectl does, unless a failure is wanted."""
    words = re.sub(r"[^a-z]+", "-", request.node.name)
    namespace = f"n{hash(request.node.name) % 10**8}-{words}"[:60].rstrip("-")

    def run(*arguments: str, stdin: str = "", fails: bool = False) -> str:
        command = [str(find_kubectl()), f"--kubeconfig={cluster.kubeconfig}", f"--namespace={namespace}"]
        done = subprocess.run(
            [*command, *arguments], input=stdin, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        output = (done.stdout + done.stderr).strip()
        assert (done.returncode != 0) == fails, f"kubectl {' '.join(arguments)}: {output}"
        return output

    run("create", "namespace", namespace)
    yield run
    run("delete", "namespace", namespace, "--wait=false")


def shown(kubectl: Kubectl, *arguments: str, patterns: Sequence[str]) -> str:
    """What kubectl shows when all of some patterns are in it; events, for one, are sent in the background."""
    deadline = time.monotonic() + PATIENCE
    while True:
        output = kubectl(*arguments)
        missing = [each for each in patterns if not re.search(each, output, re.MULTILINE)]
        if not missing:
            return output
        assert time.monotonic() < deadline, f"kubectl {' '.join(arguments)}: no {missing} in\n{output}"
        time.sleep(0.1)


def web(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=WEB)
    told = kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    assert told.endswith('deployment "web" successfully rolled out')


def test_a_deployment_and_what_get_all_shows(kubectl: Kubectl) -> None:
    made = kubectl("create", "deployment", "site", "--image=nginx", "--replicas=2")
    assert made == "deployment.apps/site created"
    kubectl("rollout", "status", "deployment/site", "--timeout=60s")
    everything = kubectl("get", "all")
    assert re.search(r"^deployment.apps/site +2/2 +2 +2 ", everything, re.MULTILINE)
    assert re.search(r"^replicaset.apps/site-\w+ +2 +2 +2 ", everything, re.MULTILINE)
    assert len(re.findall(r"^pod/site-\S+ +1/1 +Running +0 ", everything, re.MULTILINE)) == 2
    wide = kubectl("get", "pods", "-o", "wide", "--no-headers")
    assert all(re.search(r" 10\.244\.\d+\.\d+ +node-[12] ", line) for line in wide.splitlines())
    kubectl("scale", "deployment/site", "--replicas=4")
    kubectl("wait", "deployment/site", "--for=jsonpath={.status.readyReplicas}=4", "--timeout=60s")
    assert kubectl("delete", "deployment/site").startswith('deployment.apps "site" deleted')
    kubectl("wait", "pods", "-l=app=site", "--for=delete", "--timeout=60s")
    shown(kubectl, "get", "all", patterns=["^No resources found"])


def test_nodes(kubectl: Kubectl) -> None:
    both = [r"^node-1 +Ready ", r"^node-2 +Ready "]
    wide = shown(kubectl, "get", "nodes", "-o", "wide", "--no-headers", patterns=both)
    assert [line.split()[:2] for line in wide.splitlines()] == [["node-1", "Ready"], ["node-2", "Ready"]]
    assert re.search(r"v1\.36\.\d+ +172\.18\.0\.2 +<none> +kubewright .* kubewright://", wide)
    kubectl("wait", "nodes", "--all", "--for=condition=Ready", "--timeout=60s")
    kubectl("create", "deployment", "busy", "--image=nginx", "--replicas=2")
    kubectl("rollout", "status", "deployment/busy", "--timeout=60s")
    patterns = (
        r"Ready +True .* KubeletReady +kubelet is posting ready status",
        r"RegisteredNode .* node-controller +Node node-1 event: Registered Node",
        r"HolderIdentity: +node-1",
        r"PodCIDR: +10\.244\.1\.0/24",
        r"Non-terminated Pods: +\([1-9]",
        r"busy-\w+-\w+ +0 \(0%\)",
    )
    shown(kubectl, "describe", "node", "node-1", patterns=patterns)


def test_what_describe_shows(kubectl: Kubectl) -> None:
    web(kubectl)
    events = {"Scheduled", "Pulled", "Created", "Started"}
    for name in kubectl("get", "pods", "-o", "jsonpath={.items[*].metadata.name}").split():
        # One at a time, since the events of one are what is asked for.
        told = shown(
            kubectl, "events", f"--for=pod/{name}", "--no-headers", patterns=[rf" {each} " for each in events]
        )
        assert {line.split()[2] for line in told.splitlines()} == events
    pods = kubectl("describe", "pod", "-l=app=web")
    assert len(re.findall(r"^Status: +Running$", pods, re.MULTILINE)) == 3
    assert len(re.findall(r"^IP: +10\.244\.", pods, re.MULTILINE)) == 3
    assert re.search(r"Ready: +True\n +Restart Count: +0", pods)
    assert re.search(r"Controlled By: +ReplicaSet/web-", pods)
    for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"):
        assert re.search(rf"^  {kind} +True", pods, re.MULTILINE)
    assert re.search(r"Scheduled +\S+ +default-scheduler +Successfully assigned \S+ to node-", pods)
    assert re.search(r"Started +\S+ +kubelet +Container started", pods)
    patterns = (
        r"3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable",
        r"ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica set",
    )
    shown(kubectl, "describe", "deployment/web", patterns=patterns)


def test_one_that_cannot_be_assigned(kubectl: Kubectl) -> None:
    kubectl("run", "nowhere", "--image=nginx", '--overrides={"spec":{"nodeSelector":{"disk":"ssd"}}}')
    kubectl("wait", "pod/nowhere", "--for=condition=PodScheduled=False", "--timeout=60s")
    told = r"FailedScheduling +\S+ +default-scheduler +0/2 nodes are available: 2 node\(s\)"
    shown(kubectl, "describe", "pod", "nowhere", patterns=[told])
    assert re.search(r"^nowhere +0/1 +Pending +0 ", kubectl("get", "pod", "--no-headers"))
    kubectl("label", "node", "node-2", "disk=ssd")
    kubectl("wait", "pod/nowhere", "--for=condition=Ready", "--timeout=60s")
    kubectl("label", "node", "node-2", "disk-")


def test_tasks_and_loops(kubectl: Kubectl) -> None:
    kubectl("run", "task", "--image=busybox", "--restart=Never", "--", "true")
    kubectl("wait", "pod/task", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
    script = "kubelet.kubewright.dev/"
    kubectl("run", "failure", "--image=busybox", "--restart=Never", f"--annotations={script}exit-code=3")
    kubectl("run", "loop", "--image=busybox", f"--annotations={script}crash-loop=true")
    kubectl("run", "unpullable", "--image=absent", f"--annotations={script}image-pull-error=true")
    kubectl("wait", "pod/failure", "--for=jsonpath={.status.phase}=Failed", "--timeout=60s")
    waits = "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}"
    kubectl("wait", "pod/loop", f"{waits}=CrashLoopBackOff", "--timeout=60s")
    kubectl("wait", "pod/unpullable", f"{waits}=ImagePullBackOff", "--timeout=60s")
    # What loops is tried again from time to time, more often where more time passes.
    states = (
        r"^failure +0/1 +Error +0 ",
        r"^loop +0/1 +CrashLoopBackOff +[1-9]\d* \(\d+\w* ago\)",
        r"^task +0/1 +Completed +0 ",
        r"^unpullable +0/1 +ImagePullBackOff +0 ",
    )
    shown(kubectl, "get", "pods", "--no-headers", patterns=states)
    patterns = (
        r"Last State: +Terminated\n +Reason: +Error\n +Exit Code: +1",
        r"BackOff +\S+ +kubelet +Back-off restarting failed container loop",
    )
    shown(kubectl, "describe", "pod", "loop", patterns=patterns)
    kubectl("delete", "pod", "--all", "--timeout=60s")


def test_cordon_drain_and_uncordon(kubectl: Kubectl) -> None:
    web(kubectl)
    kubectl("run", "single", "--image=nginx", '--overrides={"spec":{"nodeName":"node-1"}}')
    kubectl("wait", "pod/single", "--for=condition=Ready", "--timeout=60s")
    assert kubectl("cordon", "node-1") == "node/node-1 cordoned"
    assert re.search(r"^node-1 +Ready,SchedulingDisabled ", kubectl("get", "node", "node-1", "--no-headers"))
    drain = ("drain", "node-1", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=60s")
    assert "cannot delete" in kubectl(*drain, fails=True)
    assert "node/node-1 drained" in kubectl(*drain, "--force")
    # Not what the rollout says, which may not have heard of the pods that went.
    shown(kubectl, "get", "pods", "-o", NODES, patterns=["^node-2 node-2 node-2$"])
    described = kubectl("describe", "node", "node-1")
    assert re.search(r"Taints: +node.kubernetes.io/unschedulable:NoSchedule", described)
    assert kubectl("uncordon", "node-1") == "node/node-1 uncordoned"
    shown(kubectl, "describe", "node", "node-1", patterns=[r"^Taints: +<none>$"])
    kubectl("scale", "deployment/web", "--replicas=5")
    kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    assert "node-1" in kubectl("get", "pods", "-o", NODES)


@pytest.mark.slow
def test_a_drain_respects_disruption_budgets(kubectl: Kubectl) -> None:
    web(kubectl)
    kubectl("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=3")
    healthy = '"observedGeneration":1,"currentHealthy":3,"desiredHealthy":3,"expectedPods":3'
    status = f'{{"status":{{"disruptionsAllowed":%d,{healthy}}}}}'
    kubectl("patch", "pdb/web", "--subresource=status", "--type=merge", "-p", status % 0)
    drain = ("drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--force")
    refused = kubectl(*drain, "--timeout=4s", "--pod-selector=app=web", fails=True)
    assert "Cannot evict pod as it would violate the pod's disruption budget" in refused
    kubectl("patch", "pdb/web", "--subresource=status", "--type=merge", "-p", status % 3)
    assert "node/node-2 drained" in kubectl(*drain, "--timeout=60s", "--pod-selector=app=web")
    kubectl("uncordon", "node-2")


def test_a_namespace_that_is_deleted_is_waited_for(kubectl: Kubectl) -> None:
    name = "short-lived"
    kubectl("create", "namespace", name)
    kubectl("apply", f"--namespace={name}", "-f", "-", stdin=WEB)
    kubectl("rollout", f"--namespace={name}", "status", "deployment/web", "--timeout=60s")
    assert f'namespace "{name}" deleted' in kubectl("delete", "namespace", name, "--timeout=60s")
    assert "not found" in kubectl("get", "namespace", name, fails=True)
