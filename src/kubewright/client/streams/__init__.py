"""What flows between a program and a pod: logs, commands, ports and files.

All but logs goes over WebSockets with the channel protocols of API servers: each message begins with a byte
that says which stream it belongs to (`channels`). `session` is a command, or a container, that is spoken to;
`commands` runs one to its end; `copying` is tar at both ends of one; `forwarding` is TCP. Nothing here has a
task in the background that a `with` does not end, and nothing is read faster than the program takes it.
"""
