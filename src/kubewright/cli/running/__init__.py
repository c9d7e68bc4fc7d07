"""`kubewright run`: the program of a project in a process of its own, started again when its code changes.

A `session` owns what outlives the program: the cluster on this machine, and the files that say how one is
reached (`access`). In it the `supervisor` starts and stops the program, with an eye on the source tree
(`sources`). All that needs the code of the project happens in children (`processes`): they have that of now.
"""
