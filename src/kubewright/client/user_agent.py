"""What a client calls itself."""

from __future__ import annotations

import platform
import sys
from pathlib import PurePath

from kubewright.version import __version__

__all__ = ["default_user_agent"]


def default_user_agent() -> str:
    """The program's name first, as client-go has it: the server records it as the manager of fields."""
    program = PurePath(sys.argv[0] if sys.argv else "").name.removesuffix(".py")
    if program in {"", "-c", "-", "__main__"}:
        program = "python"
    name = "".join(char for char in program if char.isascii() and (char.isalnum() or char in "-_."))
    system = f"{sys.platform}/{platform.machine()}"
    return f"{name or 'python'}/0 ({system}) kubewright/{__version__}"
