"""Packing: zips in which a later change shows, and that do not tell who measured."""
