"""The command `kubewright`, and `python -m kubewright`, which is the same."""

__all__ = ["start"]


def start() -> None:
    """Run the command, and end the process."""
    try:
        # Not above, where nobody would catch a KeyboardInterrupt.
        import signal  # noqa: PLC0415

        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            _run()  # Somebody wants it to be ignored.
            return
        # While modules are loaded, and when all is done, there is nothing to take back: Ctrl-C ends it as it
        # does a program that knows nothing of it. Python would print tracebacks, and lose some. The command
        # itself catches it in between.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            _run()
        finally:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except KeyboardInterrupt:
        import sys  # noqa: PLC0415

        sys.exit(130)


def _run() -> None:
    from kubewright.cli import main  # noqa: PLC0415 - as above

    main()


if __name__ == "__main__":
    start()
