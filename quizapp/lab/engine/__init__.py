"""The engine: a child process that runs experiments and talks JSON lines.

``python -m quizapp.lab.engine`` is started by `quizapp.lab.client`; torch lives
only here, so that it can neither freeze the screen, write on it, nor take it down.
"""
