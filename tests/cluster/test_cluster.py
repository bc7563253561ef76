#!/usr/bin/env python3
"""Sweeps under a real Slurm (its daemons, several nodes of this machine) and a real mpirun: what they find is what one
worker finds, byte for byte, also after kills. Run by `make test-cluster`, as root: the daemons need it."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VTA = os.path.join(os.environ.get("VTA_LIBRARY_PATH", os.path.join(ROOT, "build")), "vta")
KERNEL = os.path.join(ROOT, "examples", "vector_add.te")
NETWORK = os.path.join(ROOT, "examples", "shapes", "shapes.onnx")
#: Half of these are machines that cannot be.
SPACE = ["-v", "bus_bits=64,128,256", "-v", "LOG_BLOCK=4,5", "-v", "LOG_INP_BUFF_SIZE=12:15", "-v", "LOG_WGT_BUFF_SIZE=17,30",
         "-v", "delay=1:10", "--no-times"]
POINTS = 480
SWEEP = ["sweep", KERNEL, *SPACE]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]

SLURM_CONF = """ClusterName=vta
SlurmctldHost={host}
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


def run(*command, **how):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def sorted_lines(path):
    with open(path, encoding="utf-8") as file:
        return sorted(file.read().splitlines())


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="vta-cluster-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        os.environ["VTA_SWEEP_CACHE"] = os.path.join(cls.folder, "cache")
        os.environ.pop("VTA_CONFIG", None)
        cls.serial = os.path.join(cls.folder, "serial.jsonl")
        run(VTA, *SWEEP, "--jobs", "1", "-o", cls.serial)
        cls.expected = sorted_lines(cls.serial)
        assert len(cls.expected) == POINTS, len(cls.expected)

    def path(self, name):
        return os.path.join(self.folder, f"{self.id().rpartition('.')[2]}-{name}")


class Mpi(Cluster):
    def test_equal(self):
        """Eight ranks give the lines of one worker."""
        out = self.path("out.jsonl")
        answer = json.loads(run(*MPIRUN, "-n", "8", VTA, *SWEEP, "--json", "-o", out))
        self.assertEqual((answer["points"], answer["computed"]), (POINTS, POINTS))
        self.assertEqual(sorted_lines(out), self.expected)
        again = json.loads(run(*MPIRUN, "-n", "3", VTA, *SWEEP, "--json", "-o", out))
        self.assertEqual((again["found"], again["computed"]), (POINTS, 0))

    def test_printed(self):
        """Without a file rank 0 prints the table of all."""
        few = [VTA, "sweep", NETWORK, "-v", "LOG_BLOCK=4,5", "-v", "bus_bits=64,128", "--no-times", "--json"]
        alone, together = json.loads(run(*few)), json.loads(run(*MPIRUN, "-n", "3", *few))
        for rows in (alone, together):
            for row in rows:
                row.pop("times", None)
        self.assertEqual(together, alone)

    def test_search(self):
        """Ranks make the choices of one worker, also where their results are in no file."""
        search = [VTA, *SWEEP, "--search", "70", "--seed", "3"]
        alone, together = self.path("alone.jsonl"), self.path("together.jsonl")
        run(*search, "-o", alone)
        run(*MPIRUN, "-n", "5", *search, "-o", together)
        self.assertEqual(sorted_lines(together), sorted_lines(alone))
        self.assertEqual(len(json.loads(run(*MPIRUN, "-n", "3", *search, "--json"))), 70)

    def test_killed(self):
        """A rank killed at a random moment ends its job, and the same command again completes the results."""
        out, dice, found = self.path("out.jsonl"), random.Random(35), 0
        for _ in range(5):
            job = subprocess.Popen([*MPIRUN, "-n", "4", VTA, *SWEEP, "-o", out], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0.5, 1.5))
            ranks = run("pgrep", "-P", str(job.pid)).split() if job.poll() is None else []
            if ranks:
                os.kill(int(dice.choice(ranks)), signal.SIGKILL)
            job.wait(60)
            if os.path.exists(out):
                now = len(sorted_lines(out))
                self.assertGreaterEqual(now, found)
                found = now
        run(*MPIRUN, "-n", "8", VTA, *SWEEP, "-o", out)
        self.assertEqual(sorted_lines(out), self.expected)

    def test_tune(self):
        """Operators of a network tuned by ranks: results and records are those of one process, also when a rank was
        killed and the log is gone on with."""
        def records(path):
            with open(path, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            return sorted((json.dumps([r["input"], r["config"]]), r["result"][0]) for r in lines)  # not their times

        alone, together, cut = (self.path(name) for name in ("alone.log", "together.log", "cut.log"))
        tune = [VTA, "tune", NETWORK, "--trials", "12", "--seed", "5", "--json", "--log"]
        expected = json.loads(run(*tune, alone, "--jobs", "0"))
        self.assertGreater(len(expected["operators"]), 5)
        self.assertEqual(json.loads(run(*MPIRUN, "-n", "4", *tune, together)), expected)
        self.assertEqual(records(together), records(alone))
        job = subprocess.Popen([*MPIRUN, "-n", "3", *tune, cut], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while job.poll() is None and not (os.path.exists(cut) and os.path.getsize(cut)):
            time.sleep(0.01)
        for rank in run("pgrep", "-P", str(job.pid)).split()[1:2] if job.poll() is None else []:
            os.kill(int(rank), signal.SIGKILL)
        job.wait(60)
        found = len(records(cut))
        again = json.loads(run(*MPIRUN, "-n", "3", *tune, cut, "--resume"))
        self.assertGreater(found, 0)
        for row, wanted in zip(again["operators"], expected["operators"], strict=True):
            self.assertEqual([row[k] for k in ("layer", "cycles", "bound")], [wanted[k] for k in ("layer", "cycles", "bound")])
        self.assertEqual(records(cut), records(alone))

    def test_bad_input(self):
        """What no rank can open ends the job in words, on one that the others wait for, too."""
        done = subprocess.run([*MPIRUN, "-n", "4", VTA, "sweep", self.path("none.te")], capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none.te", done.stderr)


class Slurm(Cluster):
    NODES = 4

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        host, ports = socket.gethostname(), [free_port() for _ in range(cls.NODES)]
        nodes = "\n".join(f"NodeName=node{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN"
                          for i, port in enumerate(ports))
        conf = os.path.join(cls.folder, "slurm.conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(SLURM_CONF.format(host=f"{host}(127.0.0.1)", port=free_port(), folder=cls.folder, nodes=nodes))
        os.makedirs(os.path.join(cls.folder, "state"))
        os.environ["SLURM_CONF"] = conf
        key = os.path.join(cls.folder, "munge.key")
        with open(key, "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(key, 0o600)
        os.chmod(cls.folder, 0o755)
        cls.daemons = []
        cls.addClassCleanup(cls.end)
        cls.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={cls.folder}/munge.socket",
                  f"--pid-file={cls.folder}/munge.pid", f"--log-file={cls.folder}/munge.log",
                  f"--seed-file={cls.folder}/munge.seed")
        cls.until(lambda: os.path.exists(f"{cls.folder}/munge.socket"), "munged")
        cls.start("slurmctld", "-D", "-f", conf)
        for i in range(cls.NODES):
            os.makedirs(f"{cls.folder}/spool.node{i}")
            cls.start("slurmd", "-D", "-N", f"node{i}", "-f", conf)
        cls.until(lambda: subprocess.run(["sinfo", "-h", "-t", "idle", "-o", "%D"], capture_output=True, text=True,
                                         check=False).stdout.strip() == str(cls.NODES), "idle nodes")

    @classmethod
    def start(cls, *command):
        log = open(os.path.join(cls.folder, f"{command[0]}-{len(cls.daemons)}.out"), "w", encoding="utf-8")
        cls.daemons.append(subprocess.Popen(command, stdout=log, stderr=log))

    @classmethod
    def end(cls):
        for daemon in reversed(cls.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()

    @classmethod
    def until(cls, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "".join(run("tail", "-n", "5", os.path.join(cls.folder, n)) for n in sorted(os.listdir(cls.folder))
                               if n.endswith((".log", ".out")))
                raise AssertionError(f"no {what} after {seconds} s\n{logs}")
            time.sleep(0.2)

    def wait_for_jobs(self):
        self.until(lambda: run("squeue", "-h").strip() == "", "end of the jobs", 300)

    def test_array(self):
        """A job array and its merge give what one worker gives; submitted again nothing is computed."""
        out = self.path("out.jsonl")
        text = run(VTA, *SWEEP, "-o", out, "--slurm", "", "--tasks", "6")
        self.assertRegex(text, r"job \d+: 6 tasks; job \d+ merges")
        self.wait_for_jobs()
        self.assertEqual(sorted_lines(out), self.expected)

    def test_cancelled(self):
        """Tasks that are killed leave whole lines; the same command again completes the results."""
        out, dice = self.path("out.jsonl"), random.Random(3)
        run(VTA, *SWEEP, "-o", out, "--slurm", "--exclusive", "--tasks", "6")
        time.sleep(dice.uniform(1, 3))
        run("scancel", "--signal=KILL", "--name=vta-sweep")
        run("scancel", "--name=vta-sweep")
        self.wait_for_jobs()
        run(VTA, *SWEEP, "-o", out, "--slurm", "", "--tasks", "6")
        self.wait_for_jobs()
        self.assertEqual(sorted_lines(out), self.expected)

    def test_srun(self):
        """Tasks of srun without an MPI share the file by its locks."""
        out = self.path("out.jsonl")
        run("srun", "-N", "4", "-n", "4", VTA, *SWEEP, "--jobs", "1", "-o", out)
        self.assertEqual(sorted_lines(out), self.expected)

    def test_refused(self):
        """What sbatch refuses is said with its command."""
        done = subprocess.run([VTA, *SWEEP, "-o", self.path("out.jsonl"), "--slurm", "--partition=none"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("sbatch refused", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
