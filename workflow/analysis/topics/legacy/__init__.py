"""What the published arithmetic makes of the same steps, and why."""

from analysis.topics import Topic
from analysis.topics.legacy.section import cell_facts

TOPIC = Topic(cell_facts=cell_facts)
