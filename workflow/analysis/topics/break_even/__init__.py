"""After how many steps the framework with the shorter step is ahead, although it starts later."""

from analysis.topics import Topic
from analysis.topics.break_even.section import row_details

TOPIC = Topic(row_details=row_details)
