"""What this learner has answered, what comes next, and nothing about questions' text.

A question is known by its id (``bank/question``) and its meaning hash. Start at
`quizapp.study.store.Store`; everything that decides something is a pure function in a
module of its own: `days`, `streak`, `rating`, `schedule`, `daily`, `choose`, `stats`.
"""
