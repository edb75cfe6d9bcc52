"""Deploying: environments made from their locks, once for all projects and clones.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""
