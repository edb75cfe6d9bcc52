"""Monotonic alignment search outside a model: what Glow-TTS and VITS do in Cython."""
