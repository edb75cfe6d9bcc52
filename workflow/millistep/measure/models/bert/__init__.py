"""BERT base cased with a classification head of two classes."""
