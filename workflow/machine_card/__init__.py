"""What the machine is: the facts that explain its times, and none that names somebody."""
