"""What decoder-only language models share: LoRA fit, greedy generation, work.

No model by itself (it has no ``model.yaml``). Gemma and Mistral add what is
their own: classes, configuration, special tokens.
"""
