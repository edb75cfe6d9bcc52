"""Mistral 7B, version 0.1."""
