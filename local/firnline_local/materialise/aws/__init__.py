"""AWS resources of the embedded environment, by type of pulumi-aws, against the contract in ../resource.py.

`read` says what the service says, but where that means the same as what is known already, in the known words (normalize.py):
so only what really differs is drift. `INPUTS` of each file are the inputs that it carries; any other one is refused.
"""
