"""The engine as a job of EMR Serverless, for ten minutes: deployed by `up`, reading while records flow, stopped, audited,
removed.

The accounts are said by environment variables, as for the other life. Where they are the embedded ones, the commands are told
their folder (RUNNING_IN), because no variable tells a job a port of Snowflake's; and it lasts as long as a rehearsal can wait.
"""

import itertools
import json
import time
from dataclasses import dataclass
from typing import Any

import yaml

from tests.live.life import CommandFailed, Life

RUNNING_IN = "FIRNLINE_LIVE_EMBEDDED_IN"
"""The folder of the embedded environment; not set where the accounts are real."""
SUBNETS, VPC = "FIRNLINE_LIVE_SUBNETS", "FIRNLINE_LIVE_VPC"
"""Private ones with a way out to Snowflake: EMR Serverless gives a job no public address."""
SECONDS, REHEARSED_SECONDS = 600.0, 60.0
BATCH, EVERY_S = 50, 5.0
SIZE = {"driver_cores": 1, "executors": 2, "executor_cores": 1, "overhead_mib": 512}


@dataclass(frozen=True, kw_only=True)
class JobLife(Life):
    @property
    def seconds(self) -> float:
        return REHEARSED_SECONDS if RUNNING_IN in self.variables else SECONDS

    def live(self) -> dict[str, Any]:
        """Returns what each command ended with. Raises as the other life, and KeyError without a network."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_specification()
        self._prepare_snowflake()
        ended: dict[str, Any] = {}
        for words in ("spec check", "keys create ENV ingest", "keys create ENV reader", "up"):
            ended[f"job: {words}"] = self._in_accounts(words)
        records = self._put_while_it_reads()
        ended["job: status"] = self._in_accounts("status")
        ended["job: stop"] = self._in_accounts("stop")
        ended["job: audit"] = self._in_accounts("audit ENV --output json", of=records)
        ended["job: destroy"] = self._in_accounts("destroy ENV --yes")
        self.say(
            f"read for {self.seconds:.0f} s{' (rehearsed)' if RUNNING_IN in self.variables else ''}: {records} records"
        )
        return ended

    def _in_accounts(self, words: str, *, of: int | None = None) -> int:
        verb, _, rest = words.partition(" ENV")
        folder = self.variables.get(RUNNING_IN)
        where = f" --folder {folder}" if folder and verb != "spec check" else ""
        printed, status = self._firnline(f"{verb} {self.run.environment}{rest}{where}")
        if of is not None:
            report = json.loads(printed)
            counted = sum(each["totals"]["records"] for each in report["pipelines"])
            if report["proven"] is not True or counted != of:
                raise CommandFailed(f"The audit does not prove {of} records:\n{printed}")
        return status

    def _put_while_it_reads(self) -> int:
        kinesis, until, put = self._aws("kinesis"), time.monotonic() + self.seconds, 0
        for batch in itertools.count():
            body = [{"Data": json.dumps({"id": f"{batch}-{n}"}).encode(), "PartitionKey": str(n)} for n in range(BATCH)]
            if kinesis.put_records(StreamName=self.run.aws, Records=body)["FailedRecordCount"]:
                raise CommandFailed(f"Of batch {batch} of {self.run.aws} not all records were taken.")
            put += BATCH
            if time.monotonic() > until:
                return put
            time.sleep(EVERY_S)
        raise AssertionError("a count has no end")

    def _write_specification(self) -> None:
        account = self._aws("sts").get_caller_identity()["Account"]
        vpc, subnets = self._network()
        document = {
            "version": 1,
            "name": self.run.environment,
            "durability": "EPHEMERAL",
            "aws": {
                "region": self.region,
                "account": account,
                "key": {"origin": "skip"},
                "runtime": {
                    "trust": "emr-serverless",
                    "size": SIZE,
                    "emr_serverless": {"subnets": subnets, "security_group": {"vpc": vpc}},
                },
            },
            "snowflake": {"account": self.snowflake_account, "warehouse": self.run.warehouse},
            "streams": [{"name": self.run.aws, "shards": 1}],
            "pipelines": [
                {"stream": self.run.aws, "database": self.run.snowflake, "schema": "RAW", "table": "EVENTS"},
            ],
            "epoch": {"seconds": 10},
        }  # fmt: skip
        self.spec_file.parent.mkdir(parents=True, exist_ok=True)
        self.spec_file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")

    def _network(self) -> tuple[str, list[str]]:
        if RUNNING_IN not in self.variables:
            return self.variables[VPC], self.variables[SUBNETS].split(",")
        (subnet, *_) = self._aws("ec2").describe_subnets()["Subnets"]
        return subnet["VpcId"], [subnet["SubnetId"]]
