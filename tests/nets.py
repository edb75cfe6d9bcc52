"""The frameworks of this repository."""

from planning.frameworks import frameworks

NETS = frameworks([])
