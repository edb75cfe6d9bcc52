"""Why a column is slower: what steps are spent on, and what is left when nothing computes."""

from analysis.topics import Topic
from analysis.topics.why.cells import details, facts
from analysis.topics.why.section import section

TOPIC = Topic(heading="Why is it slower?", section=section, cell_facts=facts, cell_details=details)
