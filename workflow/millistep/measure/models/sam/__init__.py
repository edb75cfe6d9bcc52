"""Segment Anything with a ViT-H image encoder."""
