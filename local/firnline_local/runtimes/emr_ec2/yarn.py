"""A YARN of one node: Hadoop's own ResourceManager and NodeManager, and its `yarn application` command.

Their jars are pinned in the file beside this one, for the Hadoop of the Spark at hand, and fetched from Maven once.
Containers are processes of this machine, which YARN gives sessions of their own: all of them work in the cluster's folder,
and end with it.
"""

import os
import socket
import stat
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape

from firnline_infra.s3a import hadoop_of, jars_of, provide_jars, provided_at
from firnline_ingest.errors import FirnlineError
from firnline_local.runtimes.jobs.container import STDERR, Container, Order
from firnline_local.runtimes.jobs.spark_home import SMALL, java_variables
from firnline_local.runtimes.jobs.submission import LaunchRefused

HOST = "127.0.0.1"
USER = "hadoop"
"""As whom steps ask YARN, as on EMR."""
READY_S, LOOK_S = 600.0, 0.1  # a machine that has other things to do is no reason to give up
READY = {"resourcemanager": "Transitioned to active state", "nodemanager": "Registered with ResourceManager as"}
MANAGER = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
NODE = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
COMMAND = "org.apache.hadoop.yarn.client.cli.ApplicationCLI"
INHERITED = "JAVA_HOME PATH LANG TZ HADOOP_CONF_DIR"
LOGGING = """rootLogger.level = {level}
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n%ex
"""
SCRIPT = """#!/bin/sh
# yarn application ...: Hadoop's own command line.
exec {java} -Xmx256m {options} -cp '{classpath}' {main} "$@"
"""
SCHEDULER = {
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "1.0",
}
"""One queue; as many drivers as there is memory for, as EMR has it."""
ONLY_ITS_USER = {
    "yarn.acl.enable": "true",
    "hadoop.security.authorization": "true",  # without it everybody is an administrator to the servlets below
    "hadoop.security.instrumentation.requires.admin": "true",  # /conf, /jmx, /stacks and /logLevel of both daemons
    "hadoop.http.filter.initializers": "org.apache.hadoop.http.lib.StaticUserWebFilter,",  # without the comma YARN puts
    "yarn.resourcemanager.webapp.delegation-token-auth-filter.enabled": "false",  # one before it that believes ?user.name=
    "hadoop.http.authentication.type": "ldap",  # the NodeManager always puts it, whatever the filters: so it lets nobody in
    "hadoop.http.authentication.ldap.providerurl": "ldap://127.0.0.1:1",
    "hadoop.http.authentication.ldap.basedn": "ou=nobody",
}
"""Who comes over HTTP is YARN's static user, whatever name he gives himself, and neither starts nor ends an application: a web
page that reaches the port by a name of its own would run any command here. Nor does he read or change what is for administrators,
or anything of the NodeManager. The servers of this package refuse such names (other_sites.py); Hadoop's looks at none."""
QUEUE_RIGHTS = ("submit_applications", "administer_queue")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSize:
    """Resources that YARN may give away; of all core nodes together, as there is one node here."""

    memory_mib: int
    cores: int


class Yarn:
    """`home` is a SPARK_HOME, whose Hadoop it is of; `folder` is its own. `variables` are what every container has."""

    def __init__(
        self,
        folder: Path,
        home: Path,
        size: NodeSize,
        *,
        variables: Mapping[str, str],
        site: Mapping[str, str] | None = None,
    ) -> None:
        """`site` are properties of yarn-site that the cluster was configured with."""
        self._folder = folder
        self._home = home
        self._size = size
        self._given = tuple(variables)
        self._variables = {**java_variables(), **variables}
        self._site = dict(site or {})
        self._containers: list[Container] = []
        self.conf = folder / "conf"
        self.bin = folder / "bin"
        self.logs = folder / "containers"
        """A folder for each application, with one for each container, with stdout and stderr."""

    def start(self) -> None:
        """Returns when its node is ready. Raises LaunchRefused."""
        for each in (self.conf, self.bin, self.logs, self._folder / "local"):
            each.mkdir(parents=True, exist_ok=True)
        classpath = os.pathsep.join(str(each) for each in (self.conf, *self._daemons(), self._home / "jars" / "*"))
        ports = free_ports(5)
        self._write(ports)
        self._write_command(classpath)
        for name, main in (("resourcemanager", MANAGER), ("nodemanager", NODE)):
            self._containers.append(Container(self._order(name, main, classpath)))
        self._wait()

    def stop(self) -> None:
        """Returns when nothing of it runs any more."""
        for each in self._containers:
            each.kill()
        for each in self._containers:
            each.wait()
        self._containers.clear()

    def _daemons(self) -> list[Path]:
        hadoop = hadoop_of(self._home / "jars")
        listed = files(__package__) / f"hadoop-{hadoop}.sha256"
        if hadoop is None or not listed.is_file():
            raise LaunchRefused(f"There is no list of YARN's jars for Hadoop {hadoop}.")
        jars, folder = jars_of(listed.read_text(encoding="ascii")), provided_at(hadoop).with_name(f"yarn-{hadoop}")
        try:
            provide_jars(jars, folder)
        except FirnlineError as error:
            raise LaunchRefused(str(error)) from error
        return [folder / jar.name for jar in jars]

    def _order(self, name: str, main: str, classpath: str) -> Order:
        return Order(
            command=[java(), "-Xmx256m", *SMALL.split(), "-cp", classpath, main],
            folder=self._folder,
            variables={**self._variables, "HADOOP_CONF_DIR": str(self.conf)},
            logs=self._folder / name,
            territory=self._folder,
        )

    def _write(self, ports: list[int]) -> None:
        names = ("", "scheduler.", "resource-tracker.", "admin.", "webapp.")
        manager = {
            f"yarn.resourcemanager.{name}address": f"{HOST}:{port}" for name, port in zip(names, ports, strict=True)
        }
        node = {
            **{f"yarn.nodemanager.{name}address": f"{HOST}:0" for name in ("", "localizer.", "webapp.")},
            "yarn.nodemanager.hostname": HOST,
            "yarn.nodemanager.local-dirs": str(self._folder / "local"),
            "yarn.nodemanager.log-dirs": str(self.logs),
            "yarn.nodemanager.env-whitelist": ",".join([*INHERITED.split(), *self._given]),
            "yarn.nodemanager.resource.memory-mb": str(self._size.memory_mib),
            "yarn.nodemanager.resource.cpu-vcores": str(self._size.cores),
            "yarn.nodemanager.vmem-check-enabled": "false",
            "yarn.nodemanager.disk-health-checker.enable": "false",  # a full disk is nobody's fault here
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",  # asked once all the same
            "yarn.scheduler.minimum-allocation-mb": "32",
            "yarn.scheduler.maximum-allocation-mb": str(self._size.memory_mib),
        }
        core = {"hadoop.tmp.dir": str(self._folder / "tmp"), "fs.defaultFS": "file:///"}
        for name, content in (
            ("core-site", core),
            ("yarn-site", {**manager, **node, **self._site, **ONLY_ITS_USER, "yarn.admin.acl": USER}),
            (
                "capacity-scheduler",
                SCHEDULER | {f"yarn.scheduler.capacity.root.acl_{each}": USER for each in QUEUE_RIGHTS},
            ),
        ):
            (self.conf / f"{name}.xml").write_text(configuration(content), encoding="utf-8")
        (self.conf / "log4j2.properties").write_text(LOGGING.format(level="info"), encoding="utf-8")

    def _write_command(self, classpath: str) -> None:
        command = self.bin / "yarn"
        text = SCRIPT.format(java=java(), options=SMALL, classpath=classpath, main=COMMAND)
        command.write_text(text, encoding="utf-8")
        command.chmod(command.stat().st_mode | stat.S_IXUSR)

    def _wait(self) -> None:
        give_up_s = time.monotonic() + READY_S
        while not self._is_ready():
            if time.monotonic() > give_up_s or any(each.is_over for each in self._containers):
                self.stop()
                raise LaunchRefused(f"YARN does not start; its logs are in {self._folder}.")
            time.sleep(LOOK_S)

    def _is_ready(self) -> bool:
        """Reads the daemons' own logs: their web pages cost more than all the rest of the start."""
        return all(said in (self._folder / name / STDERR).read_text(errors="replace") for name, said in READY.items())


def configuration(properties: Mapping[str, str]) -> str:
    """Properties as Hadoop's files have them."""
    lines = [
        f"<property><name>{escape(name)}</name><value>{escape(value)}</value></property>"
        for name, value in sorted(properties.items())
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin/java" if home else "java"


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nothing listens on. Somebody else may be faster."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [int(each.getsockname()[1]) for each in sockets]
