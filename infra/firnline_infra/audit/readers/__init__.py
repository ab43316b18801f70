"""A second reading of what records should have become: slow, plain readers that share no code with the engine's decoders.

The engine's own decoder can't prove itself: one that loses a row would lose it here too. So each format and each transform is
written again from its specification; what the two have in common is the pipeline's options and the libraries below them (json,
zlib, zstandard, Decimal). A user's callable, and the registry that a schema comes from, are the same on both sides.
"""
