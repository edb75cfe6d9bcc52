"""Archives: one zip per measurement that anyone can check, compare and cite.

The tree inside is that of a project: results, configuration and sources. SHA256SUMS has a digest
of every file, archive.json names revision and libraries, ro-crate-metadata.json describes it all.
"""

SUMS, ABOUT, CRATE = "SHA256SUMS", "archive.json", "ro-crate-metadata.json"
