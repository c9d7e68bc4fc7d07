"""Certificates from files that somebody else renews: cert-manager in a mounted Secret, say."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kubewright.webhooks.certificates import CertificateError, ServingCertificate, read_certificate

__all__ = ["CertificateFiles"]

_EVERY: Final = 10.0
"""Seconds between looks at the files: controller-runtime's. kubelets take a minute to write them."""

_log: Final = logging.getLogger("kubewright.webhooks")


class CertificateFiles:
    """Reads a certificate, and reads it again when its files change, also by a swap of symbolic links."""

    def __init__(
        self, certificate: Path, key: Path, authority: Path | None = None, *, every: float = _EVERY
    ) -> None:
        self._paths: Final = (certificate, key, authority)
        self._every: Final = every
        self._last: ServingCertificate | None = None

    async def first(self) -> ServingCertificate:
        """The certificate as it is now. Raises CertificateError."""
        self._last = await asyncio.to_thread(read_certificate, *self._paths)
        return self._last

    async def watch(self, use: Callable[[ServingCertificate], None]) -> None:
        """Hand over each certificate that the files have from now on, until it is cancelled.

        Files are written one after the other, so that what does not fit is looked at again before somebody
        is told.
        """
        failed = ""
        while True:
            await asyncio.sleep(self._every)
            try:
                found = await asyncio.to_thread(read_certificate, *self._paths)
                if found != self._last:
                    use(found)
                    self._last = found
                    _log.info("the certificate of the webhooks was read anew from %s", self._paths[0])
                failed = ""
            except CertificateError as error:
                if failed == str(error):
                    _log.warning("the webhooks go on with the certificate that they have: %s", error)
                failed = str(error)
