"""Steps of `firnline up`, `preview`, `outputs` and `destroy` around Pulumi: the checks before it, the read-back after it.

The programs are those that `pulumi up` runs too; nothing is made here that they do not make.
"""
