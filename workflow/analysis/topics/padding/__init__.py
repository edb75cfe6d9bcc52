"""What static padding costs a call of ``generate()``, and whether it makes a column slow."""

from analysis.topics import Topic
from analysis.topics.padding.section import methods

TOPIC = Topic(methods=methods)
