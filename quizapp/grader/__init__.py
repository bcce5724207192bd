"""Grades hand-written attention with hidden unit tests, and names the mistake.

    client    the parent half: starts judges, hands them tasks, survives their end
    wire      what the two say to each other: Task and Grade, a JSON object a line
    judge     trusted child: torch, pytest, hidden tests, diagnosis; runs no learner's code
    testing   what an exercise's tests.py is written with

The learner's code runs elsewhere, in `quizapp.sandbox`.
"""
