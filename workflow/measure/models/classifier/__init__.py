"""Small nets that tell classes of images apart: dense layers, with convolutions before them or not;
not a model itself.
"""
