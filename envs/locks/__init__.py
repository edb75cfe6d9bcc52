"""The definitions that lock.py locks, and the format of locks."""
