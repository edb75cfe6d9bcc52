# What is imported and planned stays until Snakemake ends: looking for garbage among it took a tenth
# of a start with nothing to do.
import gc

gc.freeze()
gc.set_threshold(50_000)
