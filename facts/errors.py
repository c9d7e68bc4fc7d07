"""The error of the recorder."""

__all__ = ["RecordingError"]


class RecordingError(Exception):
    """The facts cannot be recorded; the message says why, and what to do."""
