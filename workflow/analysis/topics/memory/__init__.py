"""Peak memory of every cell, of the host and of the device."""
