"""What measuring and analysing agree on beside the schemas: how a raw record is read, and how the
settings of columns are called.

No run's identity has a digest of these files, so that changing them measures nothing again.
"""
