"""Millistep: measure how many milliseconds one training or inference step takes."""
