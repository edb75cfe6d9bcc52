"""Code that runs next to a measured process, on Snakemake's Python, and records its result."""
