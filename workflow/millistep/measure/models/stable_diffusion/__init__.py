"""Stable Diffusion v1.4: the VAE's image encoder and the UNet with its sampler."""
