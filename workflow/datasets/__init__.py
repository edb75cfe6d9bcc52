"""Real data for trainings: fetched once, before anything is timed, and checked by its digest.

Standard library alone; a file is kept as it was published, and read by what trains on it.
"""
