"""How much storage PersistentVolumeClaims ask for, watched: `python -m examples.pvcwatch --help`.

`usage` counts, `watcher` has the informer and its handler, `display` prints, `action` runs a command.
"""
