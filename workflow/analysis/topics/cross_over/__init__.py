"""From how many parameters on a GPU is faster than the processor."""
