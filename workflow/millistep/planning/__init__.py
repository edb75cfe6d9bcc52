"""Planning: from the configuration to cells, runs, their identities and their order.

Imported whenever Snakemake reads the Snakefile, so it uses the standard library
and what Snakemake brings (yaml, pydantic), and reads only small files.
"""
