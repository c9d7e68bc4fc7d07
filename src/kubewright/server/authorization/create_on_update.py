"""Updates and applies that create an object need the right to create it.

Upstream asks for it when everything else is known to be good, before the plugins that may only refuse; as the
first plugin of all, this stands at the same place.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from kubewright.server.admission.attributes import NOTHING
from kubewright.server.admission.attributes import Attributes as AdmissionAttributes
from kubewright.server.authorization.attributes import Attributes
from kubewright.server.authorization.authorizer import Authorizer
from kubewright.server.authorization.refusals import refused

__all__ = ["CreateOnUpdate"]


class CreateOnUpdate:
    """Refuses to create what a request that says `update` or `patch` names and that is not there."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer: Final = authorizer

    def admit(self, attributes: AdmissionAttributes) -> Awaitable[None]:
        """Nothing is asked before the object is known to be good."""
        return NOTHING

    def validate(self, attributes: AdmissionAttributes) -> Awaitable[None]:
        """Raises Forbidden."""
        write = attributes.write
        # By POST nothing has a name in its path; where a subresource has, the verb was `create` already.
        if attributes.operation != "CREATE" or not write.path_name:
            return NOTHING
        served = attributes.type.served
        question = Attributes(
            user=write.user,
            verb="create",
            group=served.group,
            version=served.version,
            resource=served.resource,
            subresource=write.subresource,
            namespace=attributes.namespace,
            name=write.path_name,
        )
        decision = self._authorizer.authorize(question)
        if not decision.allowed:
            raise refused(question, decision.reason)
        return NOTHING
