"""What static padding costs a call of ``generate()``, and whether it makes a column slow."""
