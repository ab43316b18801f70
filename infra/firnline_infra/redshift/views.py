"""The verbs about views: apply, refresh, rebuild, remove. `up` applies, `destroy` removes, and people may do each alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint.redshift import RedshiftDestination, sql
from firnline_infra.blueprint.redshift.definitions import StreamViewDefinition
from firnline_infra.redshift.audit import ViewAudit, audit_view
from firnline_infra.redshift.database import RedshiftDatabase
from firnline_infra.redshift.difference import findings, left_alone, steps
from firnline_infra.redshift.errors import CaseSensitivityOff, StreamRoleNotAttached, ViewAbsent, ViewsOutOfSight
from firnline_infra.redshift.observed import EMPTY, Observed, attached_roles, is_case_sensitive, observe
from firnline_infra.redshift.status import ViewStatus, statuses
from firnline_infra.specification.origin import Origin
from firnline_ingest.checks import Finding
from firnline_ingest.errors import UsageError


@dataclass(frozen=True)
class RedshiftViews:
    destination: RedshiftDestination
    aws: Callable[[str], Any] = field(repr=False)
    """Makes a boto3 client."""
    say: Callable[[str], None] = field(repr=False)

    @property
    def database(self) -> RedshiftDatabase:
        return RedshiftDatabase(self.destination, self.aws("redshift-data"))

    def apply(self) -> list[Finding]:
        """Makes what is missing, and says so; the findings are what is left to a person.

        Raises StreamRoleNotAttached, CaseSensitivityOff, ViewAbsent, RedshiftStatementFailed, AwsRefused.
        """
        database, wanted = self.database, self.destination
        found = self._observed_ready(database)
        made = list(steps(wanted, found))
        for step in made:
            database.run(step.sql)
            self.say(f"Redshift: {step.does}.")
        return list(findings(wanted, observe(database) if made else found))

    def differences(self) -> list[Finding]:
        """Returns what `apply` would find to differ, of what is there now; makes nothing. Raises as `apply` does."""
        return list(findings(self.destination, observe(self.database)))

    def ahead(self) -> tuple[list[str], list[Finding]]:
        """Returns what `apply` would make, and what it would leave to a person. Raises RedshiftStatementFailed, AwsRefused."""
        wanted = self.destination
        found = observe(self.database) if self._is_there() else EMPTY
        return [step.does for step in steps(wanted, found)], list(left_alone(wanted, found))

    def status(self) -> list[ViewStatus]:
        """Raises ViewsOutOfSight, RedshiftStatementFailed, AwsRefused."""
        database = self.database
        found = observe(database)
        if not found.sees_all:
            raise ViewsOutOfSight(found.user, database.place)
        return statuses(database, {*found.views, *found.hidden})

    def refresh(self, names: tuple[str, ...] = ()) -> None:
        """Refreshes the views with these names, as schema.name or name; where none is given, all that Redshift does not
        refresh.
        """
        for view in self._named(names) if names else [each for each in self.destination.views if not each.auto_refresh]:
            self.database.run(sql.refresh(view))
            self.say(f"Redshift: view {view.schema}.{view.name} is refreshed.")

    def audit(self, names: tuple[str, ...], *, since: datetime | None, until: datetime | None) -> Iterator[ViewAudit]:
        """Audits the views with these names, or all of them where none is given. Raises UsageError, RedshiftStatementFailed,
        AwsRefused.
        """
        regions = {schema.name: schema.region for schema in self.destination.schemas}
        for view in self._named(names) if names else self._with_positions():
            if regions.get(view.external_schema) is not None:
                raise UsageError(
                    f"Stream {view.stream} of view {view.schema}.{view.name} is in another region.",
                    next_step="name the views of this region.",
                )
            yield audit_view(self.database, self.aws("kinesis"), view, since=since, until=until)

    def _with_positions(self) -> Iterator[StreamViewDefinition]:
        for view in self.destination.views:
            if view.aggregates:
                self.say(f"{view.schema}.{view.name} is not audited: its rows are aggregates of records.")
            else:
                yield view

    def rebuild(self, name: str) -> None:
        """Drops a view with what is over it, and makes it again from what the stream still has. What would keep it from being
        made is found before anything is dropped. Raises UsageError for a view that is adopted, and as `apply`.
        """
        database = self.database
        (view,) = self._named((name,))
        if view.origin is Origin.ADOPT:
            raise UsageError(
                f"View {view.schema}.{view.name} is adopted: it would be dropped, and nothing here makes it.",
                next_step="have its owner make it again, or correct the specification.",
            )
        self._drop(database, view, self._observed_ready(database))
        self.apply()

    def remove(self) -> None:
        """Views that were made here, and the schemas, unless all goes with a workgroup or cluster that was."""
        if self.destination.is_made:
            return
        database = self.database
        found = observe(database)
        for view in self.destination.views:
            if view.origin is Origin.CREATE:
                self._drop(database, view, found)
        adopted = {view.external_schema for view in self.destination.views if view.origin is Origin.ADOPT}
        for schema in self.destination.schemas:
            if schema.name in found.schemas and schema.name not in adopted:
                database.run(sql.drop_schema(schema))
                self.say(f"Redshift: schema {schema.name} is gone.")

    def _drop(self, database: RedshiftDatabase, view: StreamViewDefinition, found: Observed) -> None:
        for each in reversed(view.with_dependents):
            place = (each.schema, each.name)
            if found.has(place):
                database.run(sql.drop_view(each))
                self.say(f"Redshift: view {each.schema}.{each.name} is gone.")

    def _named(self, names: tuple[str, ...]) -> Iterator[StreamViewDefinition]:
        known = {f"{view.schema}.{view.name}": view for view in self.destination.views}
        for name in names:
            found = [whole for whole, view in known.items() if name in (whole, view.name)]
            if not found:
                raise ViewAbsent(name, known=known)
            if len(found) > 1:
                raise UsageError(f"View {name} is in more than one schema.", next_step=f"say {' or '.join(found)}.")
            yield known[found[0]]

    def _observed_ready(self, database: RedshiftDatabase) -> Observed:
        """Returns what there is, once nothing keeps a view from being made. Raises as `apply`."""
        wanted = self.destination
        self._check_role(database)
        if wanted.case_sensitive and not is_case_sensitive(database):
            raise CaseSensitivityOff(database.place)
        found = observe(database)
        for view in wanted.views:
            if view.origin is Origin.ADOPT and (view.schema, view.name) not in {*found.views, *found.hidden}:
                raise ViewAbsent(f"{view.schema}.{view.name}", known=_names(found))
        return found

    def _is_there(self) -> bool:
        """Returns whether the workgroup or cluster that an `up` makes has been made."""
        wanted = self.destination
        if not wanted.is_made:
            return True
        if wanted.cluster is not None:
            redshift = self.aws("redshift")
            with aws_call("look for it", self.database.place):
                try:
                    redshift.describe_clusters(ClusterIdentifier=wanted.cluster)
                except redshift.exceptions.ClusterNotFoundFault:
                    return False
            return True
        with aws_call("list workgroups", self.database.place):
            pages = self.aws("redshift-serverless").get_paginator("list_workgroups").paginate()
            return any(
                group["workgroupName"] == wanted.workgroup_name for page in pages for group in page["workgroups"]
            )

    def _check_role(self, database: RedshiftDatabase) -> None:
        attached, default = attached_roles(database, self.aws)
        by_default = any(schema.role_arn is None for schema in self.destination.schemas)
        role, place = self.destination.role_arn, self.destination
        if role in attached and (not by_default or default == role):
            return
        raise StreamRoleNotAttached(role, database.place, command=_attaching(place, by_default, attached))


def _attaching(wanted: RedshiftDestination, by_default: bool, attached: frozenset[str]) -> str:
    role = wanted.role_arn
    default = f" --default-iam-role-arn {role}" if by_default else ""
    if wanted.cluster is not None:
        return f"aws redshift modify-cluster-iam-roles --cluster-identifier {wanted.cluster} --add-iam-roles {role}{default}"
    all_of_them = " ".join(sorted({*attached, role}))
    return (
        f"aws redshift-serverless update-namespace --namespace-name <of workgroup {wanted.workgroup_name}> "
        f"--iam-roles {all_of_them}{default}"
    )


def _names(found: Observed) -> list[str]:
    return [".".join(place) for place in (*found.views, *found.hidden)]
