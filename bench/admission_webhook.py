"""An admission webhook that allows everything at once: `python -m bench.admission_webhook`.

Prints its port and the certificate of its authority as JSON, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import tempfile
from pathlib import Path

from aiohttp import web

from tests.conformance.conversion_webhook import make_certificates


async def _allow(request: web.Request) -> web.Response:
    review = await request.json()
    response = {"uid": review["request"]["uid"], "allowed": True}
    return web.json_response({**review, "request": None, "response": response})


async def main() -> None:
    """Serve until the standard input ends."""
    authority, chain = make_certificates()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chain.pem"
        file.write_bytes(chain)
        context.load_cert_chain(file)
    app = web.Application()
    app.router.add_post("/allow", _allow)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    port = runner.addresses[0][1]
    print(json.dumps({"port": port, "authority": authority.decode()}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
