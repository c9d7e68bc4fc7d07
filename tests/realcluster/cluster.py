"""A real cluster without kubelets: kube-apiserver as it is by default, its controllers and its scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.realcluster.binaries import find_controller_binaries
from tests.realcluster.credentials import Credentials
from tests.realcluster.server import RealServer, free_ports

__all__ = ["RealCluster"]

_QUICK = (
    # Twenty requests a second would make a test with many pods wait for the client's own limit.
    "--kube-api-qps=500",
    "--kube-api-burst=1000",
    # A node whose heartbeats stop is NotReady after 4 to 5 seconds, not 40 to 45. The grace period has to be
    # longer than the heartbeats' period by some times: heartbeats in tests are 1 second apart.
    "--node-monitor-period=1s",
    "--node-monitor-grace-period=4s",
    "--node-startup-grace-period=4s",
    # Claims that wait for a class or a volume are looked at again after this, not after 15 seconds. Each look
    # tells an event, and of the 26th of an object within minutes nobody hears: not more often, then.
    "--pvclaimbinder-sync-period=2s",
    # The provisioner that needs neither a cloud nor a driver: StorageClasses with the provisioner
    # kubernetes.io/host-path get volumes in a directory of this machine.
    "--enable-hostpath-provisioner=true",
)
"""What makes kube-controller-manager wait for less than it does in clusters of machines."""

_HOST_PATHS = Path("/tmp/hostpath_pv")  # noqa: S108 (the provisioner knows no other place)


class RealCluster(RealServer):
    """Starts also kube-controller-manager and kube-scheduler, and stops them before the server.

    All admission plugins are on that are on by default: pods need their service account, which the
    controllers make. There are no kubelets: pods are Pending until something else says that they run, and
    nodes are whatever objects a test creates.
    """

    def __init__(
        self,
        *,
        fsync: bool = False,
        flags: Sequence[str] = (),
        controllers: Sequence[str] = ("*",),
        controller_flags: Sequence[str] = (),
        scheduler: bool = True,
    ) -> None:
        """`controllers` are those of kube-controller-manager's flag, `("*", "-deployment-controller")`."""
        super().__init__(fsync=fsync, flags=flags, disabled_admission_plugins=())
        self._controllers = tuple(controllers)
        self._controller_flags = tuple(controller_flags)
        self._scheduler = scheduler
        self._host_paths_before = _host_paths()

    def _start_others(self, credentials: Credentials) -> None:
        binaries = find_controller_binaries()
        manager_port, scheduler_port = free_ports(2)
        common = [
            f"--kubeconfig={self.kubeconfig}",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
            f"--tls-cert-file={credentials.server_cert}",
            f"--tls-private-key-file={credentials.server_key}",
        ]
        manager = [
            str(binaries.kube_controller_manager),
            *common,
            f"--secure-port={manager_port}",
            f"--controllers={','.join(self._controllers)}",
            f"--root-ca-file={credentials.ca_file}",
            f"--service-account-private-key-file={credentials.service_account_key}",
            # It makes this directory, by default in /usr.
            f"--flex-volume-plugin-dir={self._directory / 'volume-plugins'}",
            *_QUICK,
            *self._controller_flags,
        ]
        self._launch("kube-controller-manager", manager)
        if self._scheduler:
            command = [str(binaries.kube_scheduler), *common, f"--secure-port={scheduler_port}"]
            self._launch("kube-scheduler", command)
            self._await_ready("kube-scheduler", scheduler_port, "/readyz")
        self._await_ready("kube-controller-manager", manager_port, "/healthz")

    def _stop(self) -> None:
        super()._stop()
        # There is no kubelet to write into them, so that they are empty.
        for path in _host_paths() - self._host_paths_before:
            with suppress(OSError):
                path.rmdir()
        with suppress(OSError):
            _HOST_PATHS.rmdir()


def _host_paths() -> set[Path]:
    return set(_HOST_PATHS.iterdir()) if _HOST_PATHS.is_dir() else set()
