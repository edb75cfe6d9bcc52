"""One folder per model: ``model.yaml`` (sizes per scale, tasks, citation), one
builder per framework family (``keras2.py``, ``keras3.py``, ``pytorch.py``),
``inputs.py`` (seeded batches as NumPy arrays) and ``work.py`` (FLOPs, tokens).
"""
