"""Completion for bash where words have colons, as the contexts of EKS and OpenShift do.

Bash breaks words at colons, which click's own script does not mend: it would see `arn`, `:` and `aws` in the
place of `arn:aws`.
"""

from __future__ import annotations

import os
from typing import Any, Final

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ShellComplete,
    add_completion_class,
    split_arg_string,
)

__all__ = ["register_bash"]

_SCRIPT: Final = """\
%(complete_func)s() {
    local line type value
    COMPREPLY=()
    while IFS= read -r line; do
        IFS=, read -r type value <<< "$line"
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done < <(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
        %(complete_var)s=bash_complete "$1")
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class _Bash(BashComplete):
    """Takes the line as it is typed so far, and answers with what comes after its last break."""

    source_template = _SCRIPT

    def source(self) -> str:
        # Not click's for bash, which starts one to see how old it is: the one that asks may be another.
        return ShellComplete.source(self)

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)[1:]
        if not words or line[-1].isspace():
            return words, ""
        return words[:-1], words[-1]

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[Any]]:
        found = super().get_completions(args, incomplete)
        if ":" in os.environ.get("COMP_WORDBREAKS", ""):
            # Of an option and its value in one word, click leaves the option out by itself.
            typed = incomplete.partition("=")[2] if incomplete.startswith("--") else incomplete
            done = typed[: typed.rfind(":") + 1]
            for item in found:
                item.value = item.value.removeprefix(done)
        return found


def register_bash() -> None:
    """Have click use this for bash."""
    add_completion_class(_Bash)
