"""The frameworks that build models, as opposed to operations: those of most tests."""

from planning.frameworks import frameworks

NETS = {name: about for name, about in frameworks([]).items() if about.family != "host"}
