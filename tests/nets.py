"""The frameworks of this repository."""

from millistep.planning.frameworks import frameworks

NETS = frameworks([])
