"""What a number in a record may be at most, besides what its schema says."""

LARGEST = 1e24  # nothing that is measured comes near, and sums and squares of it are numbers still
