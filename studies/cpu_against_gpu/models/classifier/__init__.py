"""Small classifiers of images: dense layers, with or without convolutions before them; not a model
by itself.
"""
