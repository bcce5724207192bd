"""A confined process that runs somebody else's function: for grading, and for the lab.

    host (the caller)     starts the zygote, asks it for workers, talks to them: no torch
    wire                  the frames that travel: a JSON header and raw little-endian buffers
    zygote                torch imported once, no secrets; forks a worker in milliseconds
    confinement           what a worker gives up before it reads a line of foreign code
    worker                loads the source and answers `load`, `call` and `vjp`
    proxy                 the caller's stand-in for the function, gradients included: torch

The worker holds nothing worth stealing and can reach nothing worth harming: it can only
lie, and only by sending numbers.
"""
