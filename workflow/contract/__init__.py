"""What measuring and analysing share besides the schemas: how a raw record is read, and what the
settings of columns are called.

No run's identity contains a digest of these files: when they change, nothing is measured again.
"""
