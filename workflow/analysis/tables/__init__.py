"""Tables: built once from the results, written in every format from that one source."""
