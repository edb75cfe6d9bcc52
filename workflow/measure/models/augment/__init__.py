"""Image augmentation, before a model: pictures cropped at random places and flipped."""
