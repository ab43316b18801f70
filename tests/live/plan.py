"""The plan of a run: what it does, what it costs (rounded up), and which beliefs each step settles."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.live.names import PREFIX, SNOWFLAKE_PREFIX
from tests.live.verdicts import settled_by, settled_in


@dataclass(frozen=True, kw_only=True)
class Step:
    name: str
    does: str
    minutes: float
    """Generous: a step that takes longer than all that is left of the run is ended."""
    dollars: float

    @property
    def settles(self) -> str:
        """Ids of docs/design/beliefs.md, with blanks between them."""
        return settled_in(self.name) if self.name in settled_by() else ""


STEPS = (
    Step(
        name="sweep",
        does=f"look for what an earlier run has left ({PREFIX}*, {SNOWFLAKE_PREFIX}*), and remove it",
        minutes=3,
        dollars=0.0,
    ),
    Step(
        name="snowflake",
        does="in a database, roles and a warehouse (X-SMALL) of the run's own, ask each statement whose answer is only believed: "
        "columns of SHOW, DESCRIBE, codes and texts of errors, values of functions, who sees what, what a DROP takes along; "
        "what Snowpipe Streaming makes of each kind of value, and says to requests that are repeated, late or behind a table "
        "that was replaced, swapped or renamed",
        minutes=12,
        dollars=0.6,
    ),
    Step(
        name="aws",
        does="in a bucket, two streams, a table and an application of the run's own, ask S3, Kinesis, DynamoDB, EMR Serverless, "
        "IAM, KMS, STS and CloudWatch what is only believed of them: codes, statuses, states",
        minutes=8,
        dollars=0.1,
    ),
    Step(
        name="redshift",
        does="in a workgroup of Redshift Serverless of the run's own (8 RPUs), over a stream of one shard, run the statements "
        "that make, refresh and look at a view; and let a schedule run one that a rule of EventBridge counts",
        minutes=15,
        dollars=0.8,
    ),
    Step(
        name="contract",
        does="run tests/contract/ledger against a table of DynamoDB in the account",
        minutes=4,
        dollars=0.02,
    ),
    Step(
        name="life",
        does="one small EPHEMERAL environment (a provisioned stream of one shard, one table): init, bootstrap, keys, doctor, "
        "preview, up, a second preview that has to be empty, 300 records, run, audit, drift, destroy",
        minutes=20,
        dollars=0.4,
    ),
    Step(
        name="job",
        does="the same small environment with its engine as a job of EMR Serverless: keys, up, ten minutes of records, status, "
        "stop, audit, destroy; in private subnets that FIRNLINE_LIVE_SUBNETS and FIRNLINE_LIVE_VPC name",
        minutes=30,
        dollars=0.5,
    ),
    Step(
        name="sweep again",
        does="look that nothing is left, and remove it where something is",
        minutes=3,
        dollars=0.0,
    ),
)
ALWAYS = ("sweep", "sweep again")
PARTS = tuple(step.name for step in STEPS if step.name not in ALWAYS)
BEHIND = (
    "one KMS key a run waits seven days for its deletion, which AWS does not charge",
    "CloudTrail, Snowflake's QUERY_HISTORY and its LOGIN_HISTORY remember the run",
)


@dataclass(frozen=True)
class Budget:
    dollars: float
    minutes: float

    def refusal(self, steps: Sequence[Step] = STEPS) -> str | None:
        """Returns why it is not begun: the estimate is above it."""
        if cost(steps) > self.dollars:
            return f"It would cost about ${cost(steps):.2f}, and ${self.dollars:.2f} were allowed (--dollars)."
        if minutes(steps) > self.minutes:
            return f"It may take {minutes(steps):.0f} minutes, and {self.minutes:.0f} were allowed (--minutes)."
        return None


def chosen(parts: Sequence[str]) -> tuple[Step, ...]:
    """All of them where none is named; what sweeps is always there."""
    return tuple(step for step in STEPS if not parts or step.name in parts or step.name in ALWAYS)


def cost(steps: Sequence[Step] = STEPS) -> float:
    return sum(step.dollars for step in steps)


def minutes(steps: Sequence[Step] = STEPS) -> float:
    return sum(step.minutes for step in steps)


def told(steps: Sequence[Step] = STEPS) -> str:
    lines = []
    for step in steps:
        lines.append(f"{step.name} (at most {step.minutes:.0f} min, about ${step.dollars:.2f})")
        lines.append(f"    {step.does}")
        if step.settles:
            lines.append(f"    settles, or begins to: {step.settles} (docs/design/beliefs.md)")
    lines.append(f"Together: at most {minutes(steps):.0f} minutes, about ${cost(steps):.2f}.")
    lines += [f"What stays behind: {each}." for each in BEHIND]
    return "\n".join(lines)
