"""Checks of what AWS takes: origins, ARNs, names, tags, and lists that are sets.

A name that is given is checked by its own field; this is about the ones that follow from others, and says which field
makes them shorter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from firnline_infra.specification.adopted import made_volumes
from firnline_infra.specification.aws import BUCKET_NAME, MOST_TOPICS
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.model import Durability, EnvironmentSpec
from firnline_infra.specification.names import Names, application_of, bootstrap_names, volume_names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.redshift import CLUSTER_NAME, WORKGROUP_NAME
from firnline_infra.specification.runtime import ROLELESS, Trust
from firnline_infra.specification.service_users import service_users
from firnline_infra.specification.source_streams import access_key_secrets
from firnline_infra.specification.target_tables import target_tables
from firnline_ingest.config.form import Form
from firnline_ingest.config.format import registries_of


def _a_bucket_is_left_out_only_where_nothing_has_to_last(spec: EnvironmentSpec) -> Iterator[str]:
    bucket, trust = spec.aws.bucket, spec.aws.runtime.trust
    if bucket.origin is not Origin.SKIP:
        return
    if bucket.name is not None:
        yield "aws.bucket.name: belongs to origin: create or adopt; remove it."
    if spec.durability is Durability.PROTECTED:
        yield (
            "aws.bucket.origin: 'skip' leaves the engine's configuration and Spark's checkpoint in a folder of one machine; "
            "durability: PROTECTED needs 'create' or 'adopt'."
        )
    if trust is not Trust.NOBODY:
        yield (
            f"aws.bucket.origin: 'skip' leaves Spark's checkpoint without a place that {trust.value} reaches; expected "
            f"'create' or 'adopt' (only runtime.trust: nobody does without)."
        )


def _a_role_has_a_name_where_there_is_one(spec: EnvironmentSpec) -> Iterator[str]:
    runtime = spec.aws.runtime
    if runtime.role is not None and runtime.trust in ROLELESS:
        yield f"aws.runtime.role: no role is created with trust: {runtime.trust.value}; remove it."
    if runtime.role_arn is not None and runtime.trust in ROLELESS:
        yield f"aws.runtime.role_arn: no role is used with trust: {runtime.trust.value}; remove it."


MANAGED_BY_AWS = "aws"  # in place of the account, in the ARN of AWS's own policies


def _arns_belong_to_the_environment(spec: EnvironmentSpec) -> Iterator[str]:
    for path, arn in _arns(spec):
        if arn is None or path in _keys_elsewhere(spec):
            continue
        _, partition, _, region, account, *_ = arn.split(":")
        given = {"aws.partition": partition, "aws.region": region, "aws.account": account}
        wanted = {
            "aws.partition": spec.aws.partition,
            "aws.region": spec.aws.region if region else "",  # the ARNs of IAM have none
            "aws.account": MANAGED_BY_AWS if account == MANAGED_BY_AWS else spec.aws.account,
        }
        for name, value in given.items():
            if value != wanted[name]:
                yield f"{path}: is of {name.removeprefix('aws.')} {value}; expected {wanted[name]}, as in {name}."


def _keys_elsewhere(spec: EnvironmentSpec) -> set[str]:
    """A key is where its stream is, whatever account it is of."""
    return {f"streams[{index}].key_arn" for index, stream in enumerate(spec.streams) if stream.arn is not None}


def _arns(spec: EnvironmentSpec) -> Iterator[tuple[str, str | None]]:
    yield "aws.key.arn", spec.aws.key.arn
    yield "aws.permissions_boundary", spec.aws.permissions_boundary
    yield "aws.runtime.role_arn", spec.aws.runtime.role_arn
    for index, stream in enumerate(spec.streams):
        yield f"streams[{index}].key_arn", stream.key_arn
    for index, topic in enumerate(spec.alarms.topics):
        yield f"alarms.topics[{index}]", topic
    for arn in access_key_secrets(spec):
        yield f"access_key.secret_arn ({arn})", arn
    for user in service_users(spec):
        yield f"{user.path}.secret_arn", user.options.secret_arn
    if spec.redshift is not None:
        yield "redshift.secret_arn", spec.redshift.secret_arn
        yield "redshift.secret_key_arn", spec.redshift.secret_key_arn
    for index, pipeline in enumerate(spec.pipelines):
        for login in (registry.login for registry in registries_of([pipeline.format]) if registry.login):
            place = f"pipelines[{index}].format.registry.login"
            yield f"{place}.secret_arn", login.secret_arn
            yield f"{place}.secret_key_arn", login.secret_key_arn


ROLE, USER, BUCKET, TABLE, ALIAS, SECRET, PARAMETER = 64, 64, 63, 255, 256, 512, 1011  # characters
SHORTEST_TABLE = 3
ALARM = 255
PARAMETER_LEVELS = 15  # Systems Manager, PutParameter
PARAMETERS = ("engine-config-hash",)  # the longest of blueprint/stack_outputs.py
DASHBOARD_NAME = Form(r"[A-Za-z0-9_-]+", "letters, digits, _ and -", "firnline-dev")  # CloudWatch, PutDashboard
REPOSITORY_NAME = Form(  # ECR, CreateRepository
    r"(?=..)[a-z0-9]+([._-][a-z0-9]+)*",
    "two letters and digits or more, single signs of _ . - between them",
    "firnline-dev",
)
RESERVED_BEGINNINGS = ("xn--", "sthree-", "amzn-s3-demo-")
RESERVED_ENDINGS = ("-s3alias", "--ol-s3", "--x-s3", "--table-s3", "-an")
"""S3 user guide, "General purpose bucket naming rules" (2026-11-30); only names of account-regional namespaces end with -an."""
GROUPS_BEGIN_OTHERWISE = "sg-"  # EC2, CreateSecurityGroup: what ids begin with


@part
class Derived(Definition):
    """A name that follows from others."""

    what: str
    name: str
    characters: int
    instead: str | None = None
    """The field that names it outright."""


def _names_fit(spec: EnvironmentSpec) -> Iterator[str]:
    yield from _too_long(spec, _derived(spec))


def bootstrap_names_fit(spec: EnvironmentSpec) -> Iterator[str]:
    """No check of a specification: an environment whose state is elsewhere does without a bootstrap."""
    made = bootstrap_names(spec)
    yield from _too_long(
        spec,
        [
            Derived(what="the bucket of the state", name=made.state_bucket, characters=BUCKET),
            Derived(what="the role that deploys", name=made.deployer_role, characters=ROLE),
            Derived(what="the role that previews", name=made.previewer_role, characters=ROLE),
        ],
    )


def _too_long(spec: EnvironmentSpec, names: Iterable[Derived]) -> Iterator[str]:
    root = "application" if spec.application else "name"
    for derived in names:
        over = len(derived.name) - derived.characters
        if over > 0:
            instead = f", or give {derived.instead}" if derived.instead else ""
            yield (
                f"{root}: gives {derived.what} the name {derived.name!r} of {len(derived.name)} characters; "
                f"{derived.characters} are allowed. Shorten {root} by {over}{instead}."
            )


def _derived(spec: EnvironmentSpec) -> Iterator[Derived]:
    """The names that are derived for what is made; a name that nothing has may be as long as it likes."""
    names, trust = Names.of(spec), spec.aws.runtime.trust
    if trust is Trust.STATIC_KEYS:
        yield Derived(what="the engine's user", name=names.engine_user, characters=USER)
    elif trust is not Trust.NOBODY and spec.aws.runtime.role is None and spec.aws.runtime.role_arn is None:
        yield Derived(what="the engine's role", name=names.engine_role, characters=ROLE, instead="aws.runtime.role")
    if spec.aws.bucket.origin is Origin.CREATE and spec.aws.bucket.name is None:
        yield Derived(what="the bucket", name=names.bucket, characters=BUCKET, instead="aws.bucket.name")
    yield Derived(what="the key's alias", name=f"alias/{names.key_alias}", characters=ALIAS)
    longest = max((user.secret for user in service_users(spec)), key=len)
    yield Derived(what="the engine's secret", name=longest, characters=SECRET)
    if spec.ledger.table is None:
        yield Derived(what="the ledger", name=names.ledger_table, characters=TABLE, instead="ledger.table")
    for stream in spec.streams:
        alarm = f"{names.application}-{stream.name}-rejected-rows"  # the longest of blueprint/alarms.py
        yield Derived(what=f"an alarm of {stream.name}", name=alarm, characters=ALARM)
    for pipeline in spec.pipelines if spec.alarms.are_made else ():
        if pipeline.reader != "polling":
            consumer = pipeline.reader.fan_out.consumer_name(names.application)
            alarm = f"{names.application}-{pipeline.stream}/{consumer}-lag"
            yield Derived(what="an alarm of a consumer", name=alarm, characters=ALARM)
    if spec.redshift is not None:
        refreshes = any(view.refresh_every_minutes is not None for view in spec.redshift.views)
        longest = names.redshift_refresh_role if refreshes else names.redshift_role
        yield Derived(what="Redshift's role", name=longest, characters=ROLE)
    for index, volume in enumerate(spec.snowflake.external_volumes):
        if volume not in made_volumes(spec):
            continue
        path, derived = f"snowflake.external_volumes[{index}]", volume_names(spec, volume)
        yield Derived(
            what=f"the role of {volume.name}", name=derived.role, characters=ROLE, instead=f"a shorter {path}.name"
        )
        if volume.bucket is None:
            yield Derived(
                what=f"the bucket of {volume.name}", name=derived.bucket, characters=BUCKET, instead=f"{path}.bucket"
            )


def _names_are_spelt_as_services_take_them(spec: EnvironmentSpec) -> Iterator[str]:
    """An application has letters, digits and _ . - in any order, which not every service takes."""
    application, root = application_of(spec), "application" if spec.application else "name"
    group = spec.redshift.workgroup if spec.redshift else None
    forms: dict[str, tuple[Form, str]] = {}
    if spec.metrics.dashboard and "." in application:
        forms["the dashboard"] = DASHBOARD_NAME, ""
    if spec.aws.runtime.has_repository:
        forms["the image repository"] = REPOSITORY_NAME, ", or give aws.runtime.kubernetes.image"
    if group is not None and group.name is None:
        forms["the workgroup"] = WORKGROUP_NAME, ", or give redshift.workgroup.name"
    if spec.redshift and spec.redshift.cluster is not None and spec.redshift.cluster.identifier is None:
        forms["the cluster of Redshift"] = CLUSTER_NAME, ", or give redshift.cluster.identifier"
    if application.startswith(GROUPS_BEGIN_OTHERWISE) and _makes_a_security_group(spec):
        yield (
            f"{root}: gives a security group a name that begins with {GROUPS_BEGIN_OTHERWISE}, which EC2 refuses. "
            f"Name it otherwise."
        )
    for what, (form, instead) in forms.items():
        name = application.lower() if form is REPOSITORY_NAME else application
        if re.fullmatch(form.pattern, name) is None:
            yield f"{root}: gives {what} the name {name!r}; expected {form.words}. Name it otherwise{instead}."


def _makes_a_security_group(spec: EnvironmentSpec) -> bool:
    sections = (spec.aws.runtime.emr_serverless, spec.aws.runtime.emr_ec2)
    options = [each.security_group for each in sections if each is not None]
    return spec.network.vpc_endpoints is not None or any(each is not None and each.vpc for each in options)


def _the_migration_table_fits(spec: EnvironmentSpec) -> Iterator[str]:
    name = f"{Names.of(spec).ledger_table}_migration"
    if spec.ledger.migration and len(name) > TABLE:
        yield (
            f"ledger.table: gives the migration's table the name {name!r} of {len(name)} characters; {TABLE} are allowed. "
            f"Shorten it by {len(name) - TABLE}."
        )


def _the_ledger_is_long_enough(spec: EnvironmentSpec) -> Iterator[str]:
    if len(Names.of(spec).ledger_table) < SHORTEST_TABLE:
        yield (
            f"application: gives the ledger the name {Names.of(spec).ledger_table!r}; DynamoDB wants {SHORTEST_TABLE} "
            f"characters at least. Lengthen it, or give ledger.table."
        )


def _buckets_have_names_that_s3_takes(spec: EnvironmentSpec) -> Iterator[str]:
    buckets = {"aws.bucket.name": Names.of(spec).bucket} if spec.aws.bucket.origin is Origin.CREATE else {}
    for index, volume in enumerate(spec.snowflake.external_volumes):
        if volume in made_volumes(spec):
            buckets[f"snowflake.external_volumes[{index}].bucket"] = volume_names(spec, volume).bucket
    for path, name in buckets.items():
        fits = re.fullmatch(BUCKET_NAME.pattern, name) or len(name) > BUCKET  # a length is told above
        if not fits or name.startswith(RESERVED_BEGINNINGS) or name.endswith(RESERVED_ENDINGS):
            yield f"{path}: {name!r} is not a name that S3 takes; give another: small letters, digits and hyphens."


def _what_the_bootstrap_makes_is_not_the_environments(spec: EnvironmentSpec) -> Iterator[str]:
    """The deployer administers the buckets, the role and the alias of an environment, and never those that a bootstrap
    makes: of this environment, or of one whose name is the beginning of this one's.
    """
    aws, own, root = spec.aws, bootstrap_names(spec), "application" if spec.application else "name"
    buckets = {} if aws.bucket.origin is Origin.SKIP else {"aws.bucket.name": Names.of(spec).bucket}
    for index, volume in enumerate(spec.snowflake.external_volumes):
        if volume in made_volumes(spec):
            buckets[f"snowflake.external_volumes[{index}].bucket"] = volume_names(spec, volume).bucket
    for path, name in buckets.items():
        if name.endswith(f"-state-{aws.account}-{aws.region}"):
            yield f"{path}: {name} is named as the buckets of Pulumi's state are; give another."
    alias = Names.of(spec).key_alias
    if aws.key.origin is Origin.CREATE and alias.endswith("-state"):
        yield f"{root}: gives the key the alias {alias}, as keys of Pulumi's state have; name it otherwise."
    engine = Names.of(spec).engine_role
    is_of_ci = engine in (own.deployer_role, own.previewer_role) or engine.startswith(CI_ROLES)
    if aws.runtime.trust not in ROLELESS and is_of_ci:
        path = "aws.runtime.role_arn" if aws.runtime.role_arn else "aws.runtime.role"
        yield f"{path}: {engine} is a role of CI; the engine needs one of its own."


CI_ROLES = ("deploy-firnline-", "preview-firnline-")
"""Names of a bootstrap's roles begin so in another environment whose application has its default name."""


OF_PREVIEWS = "-preview"  # render/bootstrap/template.py


def _previews_of_one_are_not_the_deploys_of_another(spec: EnvironmentSpec) -> Iterator[str]:
    if spec.name.endswith(OF_PREVIEWS):
        yield (
            f"name: {spec.name} is what GitHub's environment for previews of {spec.name.removesuffix(OF_PREVIEWS)!r} is called: "
            f"a pull request there could deploy this one. Name it otherwise."
        )


def _parameters_fit(spec: EnvironmentSpec) -> Iterator[str]:
    prefix = spec.publication.ssm_prefix
    if prefix is None:
        return
    path = "publication.ssm_prefix"
    if prefix.lower().startswith(("/aws", "/ssm")):
        yield f"{path}: {prefix} begins with what Systems Manager keeps for itself; begin with neither aws nor ssm."
    if prefix.count("/") + 1 > PARAMETER_LEVELS:
        yield f"{path}: has {prefix.count('/')} levels, and one is added; {PARAMETER_LEVELS} are allowed in all."
    longest = max(
        len(f"arn:{spec.aws.partition}:ssm:{spec.aws.region}:{spec.aws.account}:parameter{prefix}/{each}")
        for each in PARAMETERS
    )
    if longest > PARAMETER:
        yield f"{path}: gives a parameter an ARN of {longest} characters; {PARAMETER} are allowed. Shorten it."


LONGEST_KEY, LONGEST_VALUE = 128, 256  # docs.aws.amazon.com/tag-editor, Tag naming limits
OWN_TAGS = 3  # environment.py
MOST_TAGS = 50
TAG_LETTERS = r"[\w \xa0.:/=+@-]*"  # of any script; a line break is none


def _keys_and_values_are_taken(spec: EnvironmentSpec) -> Iterator[str]:
    """EMR Serverless and EMR on EKS take less than the others: of an application or virtual cluster, and of a job run."""
    runtime = spec.aws.runtime
    for key, value in spec.tags.items():
        path = f"tags.{key}"
        if not 1 <= len(key) <= LONGEST_KEY:
            yield f"{path}: a key has 1 to {LONGEST_KEY} characters, this one has {len(key)}."
        if len(value) > LONGEST_VALUE:
            yield f"{path}: a value has up to {LONGEST_VALUE} characters, this one has {len(value)}."
        if not (re.fullmatch(TAG_LETTERS, key) and re.fullmatch(TAG_LETTERS, value)):
            yield f"{path}: AWS takes letters, digits, spaces and _ . : / = + - @ (got {key!r}: {value!r})."
        elif runtime.emr_serverless is not None and not (key.isascii() and value.isascii()):
            yield f"{path}: EMR Serverless takes letters of ASCII, no others (got {key!r}: {value!r})."
        elif runtime.emr_eks is not None and not (key.strip() and value.strip()):
            yield f"{path}: EMR on EKS takes neither key nor value that is empty or blank; give both, or remove the tag."


def _prefixes_are_free(spec: EnvironmentSpec) -> Iterator[str]:
    whose = {"aws:": "AWS itself", "firnline:": "Firnline, which sets them itself and knows its objects by them"}
    for key in spec.tags:
        for prefix, owner in whose.items():
            if key.lower().startswith(prefix):
                yield f"tags.{key}: the prefix {prefix} belongs to {owner}; name it otherwise."


def _keys_are_distinct_for_iam(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[str, str] = {}
    for key in spec.tags:
        if (other := first.setdefault(key.lower(), key)) != key:
            yield f"tags.{key}: IAM does not tell it from {other!r}; keep one."


def _there_are_not_too_many(spec: EnvironmentSpec) -> Iterator[str]:
    """A cluster of EMR that is made has one more, by which EMR's own policies know it."""
    cluster = spec.aws.runtime.emr_ec2
    own = OWN_TAGS + (cluster is not None and cluster.origin is Origin.CREATE)
    if len(spec.tags) > MOST_TAGS - own:
        yield f"tags: {len(spec.tags)} are given; AWS takes {MOST_TAGS} on an object, and {own} of them are Firnline's."


def _nothing_is_given_twice(spec: EnvironmentSpec) -> Iterator[str]:
    for path, values in _sets(spec):
        for index, value in enumerate(values):
            if value in values[:index]:
                yield f"{path}[{index}]: {value} is given twice."


def _sets(spec: EnvironmentSpec) -> Iterator[tuple[str, Sequence[str]]]:
    for index, stream in enumerate(spec.streams):
        yield f"streams[{index}].shard_metrics", [metric.value for metric in stream.shard_metrics]
        yield f"streams[{index}].consumers", stream.consumers
    for table in target_tables(spec):
        yield f"{table.path}.cluster_by", table.pipeline.cluster_by
    yield "snowflake.allowed_networks", spec.snowflake.allowed_networks
    yield "snowflake.reader.granted_to", spec.snowflake.reader.granted_to
    yield "alarms.topics", spec.alarms.topics


def _an_alarm_tells_a_few(spec: EnvironmentSpec) -> Iterator[str]:
    if len(spec.alarms.topics) > MOST_TOPICS:
        yield f"alarms.topics: {len(spec.alarms.topics)} are given; an alarm tells {MOST_TOPICS} topics."


CHECKS = (
    _a_bucket_is_left_out_only_where_nothing_has_to_last,
    _a_role_has_a_name_where_there_is_one,
    _arns_belong_to_the_environment,
    _names_fit,
    _names_are_spelt_as_services_take_them,
    _the_migration_table_fits,
    _the_ledger_is_long_enough,
    _buckets_have_names_that_s3_takes,
    _what_the_bootstrap_makes_is_not_the_environments,
    _previews_of_one_are_not_the_deploys_of_another,
    _parameters_fit,
    _keys_and_values_are_taken,
    _prefixes_are_free,
    _keys_are_distinct_for_iam,
    _there_are_not_too_many,
    _nothing_is_given_twice,
    _an_alarm_tells_a_few,
)
