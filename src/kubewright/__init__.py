"""Program Kubernetes in Python: client, informers, controllers, custom resources, and an API server.

Names are imported from here (`from kubewright import Quantity, Resource`) and loaded when they are first
used, so that `import kubewright` costs next to nothing.
"""

# Nothing is imported here, not even typing: until this is over, Ctrl-C meets a command with a traceback.
TYPE_CHECKING = False  # As that of typing, which type checkers take for true.

if TYPE_CHECKING:
    from typing import Final

    from kubewright.client.api import Api as Api
    from kubewright.client.client import Client as Client
    from kubewright.config import Config as Config
    from kubewright.config import ConfigError as ConfigError
    from kubewright.controllers.context import Context as Context
    from kubewright.controllers.leader_election import LeaderElection as LeaderElection
    from kubewright.controllers.manager import Manager as Manager
    from kubewright.controllers.rbac import rbac as rbac
    from kubewright.controllers.requests import Request as Request
    from kubewright.controllers.requests import Result as Result
    from kubewright.controllers.requests import Terminal as Terminal
    from kubewright.controllers.sources import Source as Source
    from kubewright.crd.columns import PrinterColumn as PrinterColumn
    from kubewright.crd.declaration import custom_resource as custom_resource
    from kubewright.crd.rules import rule as rule
    from kubewright.crd.subresources import Scale as Scale
    from kubewright.informers import Informer as Informer
    from kubewright.informers import Informers as Informers
    from kubewright.machinery.errors import AlreadyExists as AlreadyExists
    from kubewright.machinery.errors import ApiError as ApiError
    from kubewright.machinery.errors import BadRequest as BadRequest
    from kubewright.machinery.errors import Conflict as Conflict
    from kubewright.machinery.errors import DeclarationError as DeclarationError
    from kubewright.machinery.errors import DecodeError as DecodeError
    from kubewright.machinery.errors import EncodeError as EncodeError
    from kubewright.machinery.errors import Expired as Expired
    from kubewright.machinery.errors import Forbidden as Forbidden
    from kubewright.machinery.errors import Invalid as Invalid
    from kubewright.machinery.errors import KubewrightError as KubewrightError
    from kubewright.machinery.errors import NotFound as NotFound
    from kubewright.machinery.errors import NotSynced as NotSynced
    from kubewright.machinery.errors import ParseError as ParseError
    from kubewright.machinery.errors import RequestTimeout as RequestTimeout
    from kubewright.machinery.errors import TooManyRequests as TooManyRequests
    from kubewright.machinery.errors import TransportError as TransportError
    from kubewright.machinery.errors import Unauthorized as Unauthorized
    from kubewright.machinery.errors import WaitTimeout as WaitTimeout
    from kubewright.machinery.field import EMPTY as EMPTY
    from kubewright.machinery.field import Field as Field
    from kubewright.machinery.field import Int32 as Int32
    from kubewright.machinery.field import OpenEnum as OpenEnum
    from kubewright.machinery.field import Rule as Rule
    from kubewright.machinery.field import field as field
    from kubewright.machinery.gvk import GroupVersion as GroupVersion
    from kubewright.machinery.gvk import GroupVersionKind as GroupVersionKind
    from kubewright.machinery.gvk import GroupVersionResource as GroupVersionResource
    from kubewright.machinery.intstr import IntOrString as IntOrString
    from kubewright.machinery.meta import Condition as Condition
    from kubewright.machinery.meta import LabelSelector as LabelSelector
    from kubewright.machinery.meta import ObjectMeta as ObjectMeta
    from kubewright.machinery.meta import OwnerReference as OwnerReference
    from kubewright.machinery.quantity import Quantity as Quantity
    from kubewright.machinery.resource import Resource as Resource
    from kubewright.machinery.resource import ResourceList as ResourceList
    from kubewright.machinery.scheme import Scheme as Scheme
    from kubewright.machinery.status import Status as Status
    from kubewright.machinery.struct import Struct as Struct
    from kubewright.machinery.struct import is_set as is_set
    from kubewright.machinery.time import Duration as Duration
    from kubewright.machinery.time import MicroTime as MicroTime
    from kubewright.machinery.time import Time as Time
    from kubewright.machinery.unstructured import Unstructured as Unstructured
    from kubewright.machinery.unstructured import UnstructuredList as UnstructuredList
    from kubewright.version import __version__ as __version__

_MODULES: "Final" = {
    "client.api": "Api",
    "client.client": "Client",
    "config": "Config ConfigError",
    "controllers.context": "Context",
    "controllers.leader_election": "LeaderElection",
    "controllers.manager": "Manager",
    "controllers.rbac": "rbac",
    "controllers.requests": "Request Result Terminal",
    "controllers.sources": "Source",
    "crd.columns": "PrinterColumn",
    "crd.declaration": "custom_resource",
    "crd.rules": "rule",
    "crd.subresources": "Scale",
    "informers": "Informer Informers",
    "machinery.errors": (
        "AlreadyExists ApiError BadRequest Conflict DeclarationError DecodeError EncodeError Expired "
        "Forbidden Invalid KubewrightError NotFound NotSynced ParseError RequestTimeout TooManyRequests "
        "TransportError Unauthorized WaitTimeout"
    ),
    "machinery.field": "EMPTY Field Int32 OpenEnum Rule field",
    "machinery.gvk": "GroupVersion GroupVersionKind GroupVersionResource",
    "machinery.intstr": "IntOrString",
    "machinery.meta": "Condition LabelSelector ObjectMeta OwnerReference",
    "machinery.quantity": "Quantity",
    "machinery.resource": "Resource ResourceList",
    "machinery.scheme": "Scheme",
    "machinery.status": "Status",
    "machinery.struct": "Struct is_set",
    "machinery.time": "Duration MicroTime Time",
    "machinery.unstructured": "Unstructured UnstructuredList",
    "version": "__version__",
}
_HOMES: "Final" = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [*_HOMES]  # noqa: PLE0604 - the names of the table above, which are texts


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kubewright' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - see above

    value: object = getattr(import_module(f"kubewright.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
