"""What a kube-apiserver says about its API, as recorded from one, and the program that records it.

`make models` generates from `facts/kubernetes`, and tests compare the embedded server with it. `make facts`
records it again. README.md beside this file says what each document is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["KUBERNETES"]

KUBERNETES: Final = Path(__file__).parent / "kubernetes"
"""The directory of the recorded documents."""
