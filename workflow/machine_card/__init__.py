"""The machine's card: the facts that explain its times, and none that names anybody."""
