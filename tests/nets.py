"""The frameworks that build nets, of all that there are: what most tests are about."""

from planning.frameworks import frameworks

NETS = {name: about for name, about in frameworks([]).items() if about.family != "host"}
