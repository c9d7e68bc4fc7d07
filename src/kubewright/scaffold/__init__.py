"""Operator projects: made from templates, and brought to newer ones without touching what a person wrote.

A project is a record of what it was made of (`record`) and the files that follow from it (`render`). Every
command that changes a project renders all of them anew and merges what is new into what is there (`merge`):
so creating a kind, doing it again, and upgrading to a newer scaffold are one operation.
"""
