"""Millistep: measure how many milliseconds one training or inference step takes."""

__version__ = "1.0.0"
