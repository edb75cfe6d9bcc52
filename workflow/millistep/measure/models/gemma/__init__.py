"""Gemma 7B, the first version."""
