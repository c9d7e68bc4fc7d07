"""Informers: what the API server holds, in memory, indexed and always current, and who is told of changes.

    async with Client() as client, Informers(client) as informers:
        pods = informers.of(Pod, index={"node": lambda pod: [pod.spec.node_name]})
        pods.on_change(print)
        await informers.synced()
        pods.by("node", "n1")

A `Reflector` turns lists and watches into a `Store`; an `Informer` is both with handlers; `Informers` shares
one informer among all who need it.
"""

from kubewright.informers.changes import Change as Change
from kubewright.informers.factory import Informers as Informers
from kubewright.informers.handlers import Registration as Registration
from kubewright.informers.informer import Informer as Informer
from kubewright.informers.lister import Lister as Lister
from kubewright.informers.transforms import drop_managed_fields as drop_managed_fields

__all__ = ["Change", "Informer", "Informers", "Lister", "Registration", "drop_managed_fields"]
