"""Monotonic alignment search outside a model, which Glow-TTS and VITS do in Cython."""
