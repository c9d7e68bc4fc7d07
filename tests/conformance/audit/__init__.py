"""The audit log: the same requests give the same events on both servers."""
