"""What measuring and analysing agree on beside the schemas: how a raw record is read.

No run's identity knows these words, so that changing them measures nothing again.
"""
