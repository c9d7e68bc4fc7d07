"""Finds Python interpreters of the supported versions, and installs newer ones than the machine has.

`python -m tests.interpreters newest` prints the path of the newest one, and noxfile.py runs the tests on all.
"""
