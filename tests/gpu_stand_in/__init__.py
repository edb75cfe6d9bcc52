"""A stand-in for GPUs: libraries with the names of CUDA's, so that unmodified wheels run on one.

Kernels compute nothing and take a set time, memory is the host's with a limit, copies are real.
From public headers and documentation alone; nothing of NVIDIA's is loaded, altered or kept.
README.md says what it can show and what it cannot.
"""
