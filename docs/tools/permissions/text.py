"""The sentences of docs/permissions.md that are not said where a permission is declared."""

from firnline_ingest.permissions import Caller, Feature, Resource

INTRODUCTION = """\
# Permissions

What Firnline may do in AWS and in Snowflake, each with the reason. This page is made of the data that policies and grants
are made of (`python -m docs.tools.permissions`), so it says neither more nor less than they do.

| who | in AWS | in Snowflake |
| --- | --- | --- |
| the engine | [its policy](#aws-the-engine), [its trust policy](#aws-who-may-be-the-engine) | [its role](#the-engines-role) |
| Snowflake, for external volumes | [its policy](#aws-snowflake-for-external-volumes) | |
| who deploys and previews: CI | [two roles](#aws-who-deploys) | [the deploy role](#the-deploy-role) |
| all roles that are made | [the boundary](#aws-the-permissions-boundary) | |
| the key administrator | [a policy](#aws-the-key-administrator) | [the deploy role](#the-deploy-role) |
| who replays dead letters | [a policy](#aws-replaying-dead-letters) | [the engine's role](#the-engines-role) |
| who reads and audits | none; the right to read its key is yours to grant | [the reader's role](#the-readers-role) |

It is proven against the embedded environment, and against no account yet (`scripts/live` asks one). How, as far as an
imitation shows it: the embedded AWS records every call of the engine, and over
all combinations of features none is missing and none is there without being used. What Spark calls is recorded too: real
Spark with Apache's own S3A starts in an empty bucket, ends, and is started again out of it, under exactly this policy;
without any one of its rights in the bucket a call that it made would have been refused. What EMR calls (`logs/`) is taken
from its documentation. Every action, resource and condition key is held against AWS's own reference, which does not say
how a service writes the ARN of what is asked for by name: those forms are from its pages, or from refusals that were published
([the list](design/beliefs.md#aws-and-kinesis)); and each of the ingest role's privileges is taken away in turn, which ends the
run with an error that names it.

## AWS: the engine

Declared in `ingest/firnline_ingest/permissions/`, rendered in `infra/firnline_infra/blueprint/iam/`. One statement for each
kind of resource; what is not switched on is not in the policy."""

NARROWED = {
    Resource.STREAMS: "On the streams of the environment's pipelines; where a pattern finds more of them, on those whose names "
    "begin as it does.",
    Resource.EVERY_STREAM: "On every stream of the account, because AWS can't narrow it; in the region "
    "(`aws:RequestedRegion`). It tells names, and nothing of what is in a stream.",
    Resource.CONSUMERS: "On the consumers that these pipelines read by, and on no other consumer of their streams.",
    Resource.UNREGISTERED: "On the streams whose consumers the engine registers itself.",
    Resource.REGISTERED: "On these consumers, by their names; what the engine did not register it deregisters nowhere.",
    Resource.STREAM_KEYS: "On the keys of these streams, only through Kinesis, only for the records of these streams "
    "(`kms:ViaService`, `kms:EncryptionContext:aws:kinesis:arn`).",
    Resource.LEDGER_TABLE: "On the ledger's table.",
    Resource.LEDGER_ITEMS: "On the ledger's table, only items of these streams and of the engine's own run "
    "(`dynamodb:LeadingKeys`): engines that share a table can't touch each other's streams.",
    Resource.LEDGER_KEY: "On the table's key, only through DynamoDB, only for this table "
    "(`kms:ViaService`, `kms:EncryptionContext:aws:dynamodb:tableName`).",
    Resource.SECRET: "On the secret of the Snowflake user's private key.",
    Resource.SECRET_KEY: "On the secret's key, only through Secrets Manager, only for this secret "
    "(`kms:ViaService`, `kms:EncryptionContext:SecretARN`).",
    Resource.EVERY_SCHEMA: "On every schema of the account, because a record names a version and not its registry, and AWS's own "
    "policy for deserializers has `*` too; in the region (`aws:RequestedRegion`).",
    Resource.REGISTRY_LOGINS: "On the secrets that `registry.login` of a format names.",
    Resource.REGISTRY_LOGIN_KEYS: "On the keys that it names, only through Secrets Manager, only for these secrets "
    "(`kms:ViaService`, `kms:EncryptionContext:SecretARN`).",
    Resource.BUCKET: "On the bucket, only names in the checkpoint's folder (`s3:prefix`).",
    Resource.CHECKPOINT: "On objects in the checkpoint's folder.",
    Resource.JOB_FILES: "On objects in the folders of artefacts and configurations.",
    Resource.DEAD_LETTERS: "On objects in the dead letters' folder.",
    Resource.DEAD_LETTER_NAMES: "On the bucket, only names in the dead letters' folder (`s3:prefix`).",
    Resource.LOGS: "On objects in the logs' folder.",
    Resource.LETTER_STREAM: "On the stream for dead letters.",
    Resource.LETTER_STREAM_KEY: "On this stream's key, only through Kinesis, only for its records "
    "(`kms:ViaService`, `kms:EncryptionContext:aws:kinesis:arn`).",
    Resource.BUCKET_KEY: "On the bucket's key, only through S3 (`kms:ViaService`).",
}

FEATURES = {
    Feature.POLLING: "a pipeline reads by polling",
    Feature.FAN_OUT: "a pipeline reads by fan-out",
    Feature.REGISTRATION: "the engine registers a consumer (`registration: eager` or `lazy`)",
    Feature.STREAM_PATTERNS: "`patterns`, a pipeline's `stream_pattern`",
    Feature.LEDGER_CREATION: "`ledger.create`",
    Feature.SECRET: "the private key is in Secrets Manager",
    Feature.GLUE_REGISTRY: "a format's `framing: glue`, of Avro",
    Feature.REGISTRY_LOGIN: "a registry's or the proxy's `login.secret_arn`",
    Feature.REGISTRY_LOGIN_KEY: "its `login.secret_key_arn`",
    Feature.S3_CHECKPOINT: "the checkpoint is in S3",
    Feature.S3_JOB_FILES: "the job's files are in S3",
    Feature.S3_DEAD_LETTERS: "dead letters go to the bucket",
    Feature.S3_OVERSIZE_ROWS: "dead letters of the bucket go by file (`oversize_rows: file`)",
    Feature.S3_LOGS: "logs go to the bucket",
    Feature.STREAM_DEAD_LETTERS: "dead letters go to a stream",
    Feature.LETTER_STREAM_KEY: "that stream has a key of the customer's",
    Feature.STREAM_KEY: "a stream has a key of the customer's",
    Feature.LEDGER_KEY: "the ledger has a key of the customer's",
    Feature.SECRET_KEY: "the secret has a key of the customer's",
    Feature.BUCKET_KEY: "the bucket has a key of the customer's",
}

CALLERS = {
    Caller.ENGINE: "",
    Caller.SPARK: " (called by Spark)",
    Caller.EMR: " (called by EMR)",
    Caller.KINESIS: " (called by Kinesis)",
    Caller.DYNAMODB: " (called by DynamoDB)",
    Caller.SECRETS_MANAGER: " (called by Secrets Manager)",
    Caller.S3: " (called by S3)",
}

TRUSTS = """\
## AWS: who may be the engine

| `runtime.trust` | who | narrowed by |
| --- | --- | --- |
| `emr-serverless` | EMR Serverless, for a job | `aws:SourceAccount`: applications of this account |
| `emr-ec2` | the instances of a cluster | who may start one with the role: `iam:PassRole` of those who start clusters |
| `irsa` | one Kubernetes service account, by its token | the token's subject and audience |
| `pod-identity` | pods that a cluster associates with it | `aws:SourceAccount`; by session tags cluster, namespace, account |
| `static-keys` | a user with access keys | the user has one managed policy, its own; no role is made |
| `nobody` | who runs the engine | no role is made |"""

VOLUME = """\
## AWS: Snowflake, for external volumes

Snowflake's IAM user takes the role on with an external id of ours, and may do what its page on external volumes lists, inside
the volume's prefix. Old versions are read and removed because the bucket keeps versions.

"""

WILDCARDS_ARE = """\
## Every wildcard

No statement holds a `*` or a `?` other than at the end of a bucket or of a folder in it, but for these (`…` stands for what
varies):

"""

SNOWFLAKE = """\
## Snowflake

### The engine's role

Every privilege is granted to the role itself: Snowpipe Streaming is documented for direct grants only. The engine looks at
its role's grants before the first row flows, and names the one that is missing with the statement that grants it.
`table_privilege: ownership` gives the engine OWNERSHIP of the table in place of the privileges on it.

"""

ROLES_OF_CI = """\
## AWS: who deploys

Two roles of CI, and no person's: `firnline bootstrap` renders them into `<environment>-aws.yaml`. Each can be taken on
by one environment of one repository on GitHub, by GitHub's token, without any stored key. A pull request runs the program of
its author, so one role changes the environment after a merge, and the other only reads. Neither can see a secret's
value, read a record of a stream, touch itself, the other, the boundary or a policy of theirs, make an access key, or take a
boundary off; not by these statements. By what they allow, the deployer can

* write the policy and the trust of a role of the environment, and so lend to anybody whatever [the
  boundary](#aws-the-permissions-boundary) allows: the environment's private keys, ledger and buckets, and all streams of the
  account, to read them,
* start a program of its own choice as the engine, which may use all that the engine may,
* open the environment's buckets to others by their policies,
* overwrite the value of a secret of the environment, unread.

That is why a change is reviewed before it is merged. Keys are not among it: the bootstrap makes the environment's key, an
administrator keeps it, and both roles name it by its ARN. Every `kms:*` and `s3:*` action of AWS's reference that changes
something is asked of the policies of two environments in one account by a test: none administers a key, or a bucket that is
not its own.

Which actions a resource needs is data (`infra/firnline_infra/kinds/`): the calls of the provider
that makes it. Tests deploy whole environments under these policies, and compare them with what the embedded AWS was asked;
and run Pulumi's own engine on a state in S3 under the policies of both. What an environment does not have is not in its policy.
Rights to remove are there in a `PROTECTED` environment too; there Pulumi refuses, and the table itself. Who deploys by hand has
rights of their own in AWS, or gets the deployer's policies attached (`deploy-<application>-1` and on).

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

On every role and user that an environment makes; the deployer can make none without it, and has no right to take it off. Who
can write a role's policy could otherwise write anything into it: with the boundary, no more than engines and volumes ever
need, in this account alone (`aws:ResourceAccount`), and of its tables, secrets and buckets the environment's alone. Of keys it
names the environment's and those of adopted streams, and knows the ones that AWS manages by their aliases. It does not name the
streams that are read: a boundary is one policy, with no room for hundreds of them. So a role of the environment could be let
read any stream of the account.
Written to is not a stream but the one for dead letters (WithinLetters), where the specification names one. A boundary gives no
right by itself.

"""

KEY_KEEPER = """\
## AWS: the key administrator

The policy that `firnline bootstrap` writes for those who run `firnline keys`, for an administrator to attach to few. The
roles of CI have none of it but to describe a secret, make it and tag it. In Snowflake they are the deploy role.

"""

LETTER_REPLAYER = """\
## AWS: replaying dead letters

The policy that `firnline bootstrap` writes for those who run `firnline dead-letters`, for an administrator to attach to few:
dead letters hold what producers sent, and a replay writes rows as the engine's own user, in [its role](#the-engines-role).
Neither CI nor the engine has it. Tests run the commands under exactly this policy, and once without each of its rights: that
ends them with an error that names it. Who only lists, shows and exports needs ListLetters, ReadLetters and the `kms:Decrypt` of
KeyOfLetters, or ReadLetterStream and KeyOfLetterStream.

`firnline dead-letters replay --into-stream` writes into a production stream, as its producers do. It needs `kinesis:PutRecords`
on the stream, and `kms:GenerateDataKey` on its key where it is encrypted, beside the rights below on dead letters and ledger, and
nothing of Snowflake. No policy that `firnline bootstrap` writes has it: give it to few, for as long as they need it.

"""

DEPLOY_ROLE = """\
### The deploy role

Rendered into `<environment>-snowflake.sql`, and made once by an administrator: only one may grant privileges on the account. The
role is not an administrator, can't become one, and may not grant what it does not own (it has no `MANAGE GRANTS`).

"""

DEPLOY_ROLE_OWNS = """\
It owns what it makes, and so may do everything with it: read the tables too, give users other keys, drop them. One of the
privileges reaches further: who may apply an authentication policy may apply it to any user, and to the account. Snowflake grants
it for the account only, so it is asked for with `key_pair_only: true` alone.

Who is it: the user of that name, which CI logs in as by its AWS role, and people with the key pair that the file asks for.
Besides the privileges:

"""
