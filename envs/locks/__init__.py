"""What lock.py locks, and how a lock is written."""
