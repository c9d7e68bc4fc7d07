"""The recorded facts of the API, and the program that records them."""
