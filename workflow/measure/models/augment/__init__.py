"""Pictures cropped at random places and flipped: what comes before a model."""
