"""Is native code worth it? Operations as a framework does them, and in code of one's own."""
