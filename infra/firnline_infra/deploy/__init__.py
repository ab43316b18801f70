"""What `firnline up`, `preview`, `outputs` and `destroy` do around Pulumi: the checks before, the looks after.

The programs are those that `pulumi up` runs too; nothing is made here that they do not make.
"""
