"""The verbs of the API over HTTP, without the HTTP: a `Call` comes in, an `Answer` goes out.

Nothing here knows sockets. What a verb means is the registry's affair; handlers read options and bodies,
choose the form of the answer, and put it together out of stored bytes where that is possible.
"""
