"""Trained to the end: how long it took, what came out, and whether all columns agree."""

from analysis.topics import Topic
from analysis.topics.trainings.section import values

TOPIC = Topic(heading="Trained to the end", section=values)
