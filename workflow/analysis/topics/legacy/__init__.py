"""The time that the published arithmetic gives the same steps, and why it differs."""
