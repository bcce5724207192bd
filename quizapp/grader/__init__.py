"""Grades hand-written attention with hidden unit tests, and names the mistake."""
