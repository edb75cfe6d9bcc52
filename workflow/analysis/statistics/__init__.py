"""Statistics: numbers in, numbers out; nothing of tables, cells or records."""
