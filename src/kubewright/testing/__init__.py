"""What tests of programs for Kubernetes need: a cluster in the process.

    async with Cluster() as cluster:              # in an event loop
        ...
    with Cluster.in_thread() as cluster:          # beside blocking code: kubectl, other clients
        subprocess.run(["kubectl", "--kubeconfig", cluster.kubeconfig, "get", "namespaces"])

With pytest, the fixture `kube` gives a fresh cluster to each test.
"""

from kubewright.testing.cluster import Cluster

__all__ = ["Cluster"]
