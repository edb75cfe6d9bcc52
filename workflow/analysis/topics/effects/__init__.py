"""What one thing changes: columns that differ in nothing else, row by row and over all rows."""

from analysis.topics import Topic
from analysis.topics.effects.section import key_sentences, section, table_notes

TOPIC = Topic(
    heading="Effects", section=section, key_sentences=key_sentences, table_notes=table_notes
)
