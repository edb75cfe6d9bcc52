"""Controls: fixed work that shows how the machine and the measuring itself behave."""
