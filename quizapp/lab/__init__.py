"""The lab: runs real attention in a child process and hands back `Report`s.

`client`, `catalogue` and `params` are the parent half and never load torch or
numpy; `engine/`, `context` and `attention` live in the child. `experiments/` is
read by both: each file imports its libraries only inside `run` and `check`.
"""
