"""Fixtures of the screens' tests."""

from driving import drive

__all__ = ["drive"]
