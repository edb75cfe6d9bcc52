"""The frameworks of this repository."""

from millistep.planning.catalog import frameworks

NETS = frameworks([])
