"""From how many parameters on a GPU is faster than the processor."""

from analysis.topics import Topic
from analysis.topics.cross_over.section import key_sentences, methods, section

TOPIC = Topic(
    heading="From how many parameters on is the GPU faster?",
    section=section,
    key_sentences=key_sentences,
    methods=methods,
)
