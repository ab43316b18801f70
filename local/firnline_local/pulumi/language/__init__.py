"""The Python language host of the embedded environment's Pulumi home.

The engine starts it, and it starts the program; both end when the engine does, which the stock host does not promise.
"""
