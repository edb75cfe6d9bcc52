"""The time that the published arithmetic gives the same steps, and why it differs."""

from analysis.topics import Topic
from analysis.topics.legacy.section import cell_facts

TOPIC = Topic(cell_facts=cell_facts)
