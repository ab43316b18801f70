"""The sentences of docs/permissions.md about what `firnline init --bootstrap` renders."""

ROLES_OF_CI = """\
## AWS: who deploys

Two roles of CI, and no person's: `firnline init --bootstrap` renders them into `<environment>-aws.yaml`. Each can be taken on
by one environment of one repository on GitHub, by GitHub's token, without any stored key. A pull request runs the program of
whoever opened it, so one role changes the environment after a merge, and the other only reads. Neither can see a secret's
value, read a record of a stream or an item of a table, touch itself, the other, the boundary or a policy of theirs, make an
access key, or take a boundary off; not by these statements. By what they allow, the deployer can

* write the policy and the trust of a role of the environment, and so lend to anybody whatever [the
  boundary](#aws-the-permissions-boundary) allows: the environment's private keys, ledger and buckets, and all streams of the
  account,
* open the environment's key and buckets to others by their policies, and take [a key without a tag](#tagnewkey),
* overwrite the value of a secret of the environment, unread.

That is why a change is reviewed before it is merged.

Which actions a resource needs is data (`infra/firnline_infra/blueprint/iam/deployer.py`): the calls of the provider that makes
it. Tests deploy whole environments under these policies, and compare them with what the embedded AWS was asked; and run
Pulumi's own engine on a state in S3 under the policies of both. What an environment does not have is not in its policy. Rights
to remove are there in a `PROTECTED` environment too; there Pulumi refuses, and the table itself. Who deploys by hand has rights
of their own in AWS, or gets the deployer's policies attached (`deploy-<application>-1` and on).

"""

DEPLOYER = """\
### The deployer

Shown for an environment `prod` with everything, whose application is `orders-prod`. What only a user with access keys
(`trust: static-keys`) or `durability: EPHEMERAL` needs comes last.

"""

PREVIEWER = """\
### The previewer

Of the deployer's statements these, on the same resources and under the same conditions, and nothing that changes anything:

"""

BOUNDARY = """\
## AWS: the permissions boundary

On every role and user that an environment makes; the deployer can make none without it, and has no right to take it off. Whoever
can write a role's policy could otherwise write anything into it: with the boundary, no more than engines and volumes ever
need, in this account alone (`aws:ResourceAccount`), and of its tables, secrets and buckets the environment's alone. It does not
name streams and keys: a boundary is one policy, with no room for hundreds of streams, and a key's id is AWS's. So a role of the
environment could be given any stream of the account, and any key whose own policy leaves that to IAM. A boundary gives no right
by itself.

"""

KEY_KEEPER = """\
## AWS: whoever keeps the keys

The policy that `firnline init --bootstrap` writes for those who run `firnline keys`, for an administrator to attach to few. The
roles of CI have none of it but to describe a secret, make it and tag it. In Snowflake they are the deploy role.

"""

DEPLOY_ROLE = """\
### The deploy role

Rendered into `<environment>-snowflake.sql`, and made once by an administrator: only one may grant privileges on the account. The
role is no administrator, can't become one, and may not grant what it does not own (it has no `MANAGE GRANTS`).

"""

DEPLOY_ROLE_OWNS = """\
It owns what it makes, and so may do everything with it: read the tables too, give users other keys, drop them. One of the
privileges reaches further: who may apply an authentication policy may apply it to any user, and to the account. Snowflake grants
it for the account only; with `key_pair_only: false` it is not asked for.

Who is it: the user of that name, which CI logs in as by its AWS role, and people with the key pair that the file asks for; and
the previewer's user, because the program of a preview connects as the deploy role as well. So a preview waits for the approval
of its environment on GitHub. Besides the privileges:

"""
