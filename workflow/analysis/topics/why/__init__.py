"""Why a column is slower: what steps are spent on, and what is left when nothing computes."""
