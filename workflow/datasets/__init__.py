"""Real data for trainings: fetched once, before anything is timed, and checked by its digest.

Needs only the standard library; files are kept as published, and read by the trainings.
"""
