"""Is native code worth it? Operations as a framework does them, and in code of one's own."""

from analysis.topics import Topic
from analysis.topics.native.section import cell_facts, key_sentences, methods, values

TOPIC = Topic(
    heading="Is native code worth it?",
    section=values,
    key_sentences=key_sentences,
    cell_facts=cell_facts,
    methods=methods,
)
