"""The demo: the real pipeline on this machine, its driver killed half-way, and the proof that nothing was lost."""
