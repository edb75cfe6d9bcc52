"""A throw-away SLURM cluster: several nodes on this host, which listen on the loop-back alone.

As root, with Debian's slurmctld, slurmd and slurm-client. No munge, accounting or control groups.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.shared import put, until

COMMANDS = ("slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo", "scontrol")
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
NODE += "CPUs={cpus} RealMemory=1000\n"
# On a busy machine an answer may take longer than the 10 s after which SLURM starts a job anew.
CONF = """\
ClusterName=throwaway
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
TaskProlog={folder}/prolog
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
ReturnToService=2
MinJobAge=3600
MessageTimeout=60
BatchStartTimeout=120
KillWait=5
MailProg=/bin/true
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
# Nodes on one host have locks of their own.
PROLOG = "#!/bin/sh\necho export MILLISTEP_LOCKS={folder}/tmp-$SLURMD_NODENAME\n"
# The plugin's inner program takes SLURM_CONF out of the environment of its srun.
SRUN = '#!/bin/sh\nSLURM_CONF={conf} exec {srun} "$@"\n'
START_S, END_S = 30, 15


def missing() -> str | None:
    """Why there can be no cluster here, in words; None if there can."""
    lacking = [name for name in COMMANDS if shutil.which(name) is None]
    if lacking:
        return f"no {', '.join(lacking)}: Debian's slurmctld, slurmd and slurm-client have them"
    return None if os.geteuid() == 0 else "the daemons of a cluster need root"


class Cluster:
    """A running cluster. environ: what its commands need to find it."""

    def __init__(self, folder: Path, environ: dict[str, str]):
        self.folder, self.environ = folder, environ
        self.daemons: dict[str, subprocess.Popen] = {}

    def said(self, *command: str) -> str:
        """Run a command of the cluster; what it prints."""
        return subprocess.run(
            command, env=self.environ, capture_output=True, text=True, timeout=30, check=True
        ).stdout

    @property
    def log(self) -> str:
        """What the controller says of its jobs."""
        return (self.folder / "slurmctld.log").read_text()

    def start(self, name: str, *command: str) -> None:
        log = self.folder / f"{name}.out"
        with log.open("ab") as output:
            pipes = {"stdout": output, "stderr": output}
            self.daemons[name] = subprocess.Popen(command, env=self.environ, **pipes)

    def idle(self) -> int:
        """Nodes that wait for work."""
        with contextlib.suppress(subprocess.CalledProcessError):
            return self.said("sinfo", "-hN", "-o", "%T").split().count("idle")
        return 0

    def jobs(self) -> list[str]:
        """``<number> <state> <node> <comment>`` of the jobs that have not ended."""
        return self.said("squeue", "-h", "-o", "%i %T %N %k").splitlines()

    def lose(self, node: str, job: str) -> None:
        """Lose a node as by a power cut: nothing on it answers or goes on. job: the one on it."""
        self.daemons.pop(node).kill()
        self.said("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=lost")
        conf = self.environ["SLURM_CONF"]
        mine = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={conf}".encode()}
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mine <= {*(process / "environ").read_bytes().split(b"\0")}:
                    os.kill(int(process.name), signal.SIGKILL)
        # SLURM would wait two minutes before it sends the job to another node.
        self.said("scontrol", "update", f"JobId={job}", "StartTime=now")

    def end(self) -> None:
        """End the cluster, and leave no process of it behind."""
        with contextlib.suppress(subprocess.SubprocessError):
            self.said("scancel", "--user=root")
            # the process that runs a job outlives its daemon
            until(lambda: not self.jobs(), END_S)
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            daemon.wait(END_S)


@contextlib.contextmanager
def cluster(folder: Path, nodes: int, cpus: int) -> Iterator[Cluster]:
    """Run nodes n1, n2, ... of a partition ``main``; every job asks for whole processors."""
    host = socket.gethostname().partition(".")[0]
    ports = free_ports(nodes + 1)
    (folder / "state").mkdir(parents=True)
    conf, srun = folder / "slurm.conf", folder / "bin" / "srun"
    names = [f"n{number}" for number in range(1, nodes + 1)]
    lines = [
        NODE.format(name=name, host=host, port=port, cpus=cpus)
        for name, port in zip(names, ports[1:], strict=True)
    ]
    head, partition = CONF.format(host=host, port=ports[0], folder=folder).split("PartitionName")
    conf.write_text(f"{head}{''.join(lines)}PartitionName{partition}")
    put(folder / "prolog", PROLOG.format(folder=folder), program=True)
    for name in names:
        (folder / f"tmp-{name}").mkdir()
    put(srun, SRUN.format(conf=conf, srun=shutil.which("srun")), program=True)
    path = os.pathsep.join([str(srun.parent), os.environ["PATH"]])
    found = Cluster(folder, {**os.environ, "SLURM_CONF": str(conf), "PATH": path})
    try:
        found.start("slurmctld", "slurmctld", "-D", "-c", "-f", str(conf))
        for name in names:
            found.start(name, "slurmd", "-D", "-N", name, "-f", str(conf))
        daemons = found.daemons.values()
        until(lambda: found.idle() == nodes or {d.poll() for d in daemons} != {None}, START_S)
        if found.idle() < nodes:
            raise RuntimeError(found.log)
        yield found
    finally:
        found.end()


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
