"""Timings of the program against something bare; `python -m benchmarks` prints them all."""
