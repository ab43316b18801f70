"""The rules of `firnline policy` as a policy pack: what a Pulumi program registers is judged as it is made.

pulumi preview -s prod --policy-pack ../policy        # from stacks/pulumi; or pulumi policy publish
"""

from pulumi_policy import PolicyPack

from firnline_infra.policy.pack import policies

PolicyPack(name="firnline", policies=policies())
