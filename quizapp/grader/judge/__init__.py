"""The judge: a trusted process that tests foreign functions without ever running one.

__main__     one task a line in, one grade a line out
grading      a task from its load to its grade
running      the hidden tests under pytest, and the positive evidence that a pass needs
submission   what tests call: the remote function, held to its contract
contract     the shapes and kinds a result must have, by the names of the axes
faults       what a worker did instead of answering, in words
diagnosis    which known mistake gives the same numbers
"""
