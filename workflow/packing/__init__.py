"""Packing: zips that show a later change, with nothing in them that tells who measured."""
