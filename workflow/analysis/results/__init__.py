"""Results: plan and records read, checked and joined into cells."""
