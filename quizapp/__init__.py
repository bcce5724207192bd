"""quizapp: interview questions about transformer attention, each answered by a live computation."""

__version__ = "0.1.0"
