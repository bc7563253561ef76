"""The tests of a build, as ctest knows them, and how they are run."""
import collections
import concurrent.futures
import glob
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import threading
import time

ADD_TEST = re.compile(r"^add_test\((?:\[=*\[)?(\w+)(?:\]=*\])? (.*)\)$", re.MULTILINE)
Test = collections.namedtuple("Test", "name command folder environment labels skip_code timeout")

# Slow, and about other things than what the sources compute.
NEVER = ["lower", "install", "headers", "exports"]
# These make builds of their own: what they run is not counted. They are run last, where everything is.
OWN_BUILD = ["recipes_pass", "recipes_alu", "recipes_operator", "recipes_device", "faults_put_back",
             "layers_faults"]
# These start a Python that takes nothing from its environment, so that the lines that it runs are not seen.
APART = ["python_install"]
# These read the sources: any line may matter to them.
READERS = ["layers", "docs", "one_place", "python_types"]

# A fault that is as long as the last one, and put in within the second, would be taken from Python's cache.
UNCACHED = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": ""}

PASSED, FAILED, LATE, STOPPED = "passed", "failed", "ran out of time", "stopped"


def tests_of(build):
    """{name: Test} of all tests of a build that are run at all."""
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True)
    found, not_built = {}, commands_of(build)
    for test in json.loads(listed.stdout)["tests"]:
        own = {p["name"]: p["value"] for p in test["properties"]}
        command = test.get("command") or not_built[test["name"]]
        if test["name"] not in NEVER:
            found[test["name"]] = Test(test["name"], command, own["WORKING_DIRECTORY"],
                                       dict(e.split("=", 1) for e in own.get("ENVIRONMENT", [])), own.get("LABELS", []),
                                       own.get("SKIP_RETURN_CODE", 0), own.get("TIMEOUT", 600))
    return found


def commands_of(build):
    """{name: command} as CMake wrote them: ctest does not show the command of a program that is not built yet."""
    found = {}
    for path in glob.glob(os.path.join(build, "**", "CTestTestfile.cmake"), recursive=True):
        with open(path, encoding="utf-8") as f:
            found |= {name: shlex.split(words) for name, words in ADD_TEST.findall(f.read())}
    return found


def limits():
    resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Runs:
    """Tests that are run until one fails. What is under way then is ended."""

    def __init__(self, log, environment=None):
        self.log, self.environment = log, environment or {}
        self.lock, self.pids, self.over = threading.Lock(), set(), False

    def one(self, test, seconds):
        """How a test ends within the seconds; its output goes to LOG.NAME, which stays if it does not pass."""
        log = f"{self.log}.{test.name}"
        with open(log, "wb") as out:
            with self.lock:
                if self.over:
                    return STOPPED
                process = subprocess.Popen(test.command, cwd=test.folder, stdin=subprocess.DEVNULL, stdout=out,
                                           stderr=subprocess.STDOUT, preexec_fn=limits, start_new_session=True,
                                           env={**os.environ, **test.environment, **UNCACHED, **self.environment})
                self.pids.add(process.pid)
            try:
                code = process.wait(seconds)
                how = PASSED if code == 0 or test.skip_code and code == test.skip_code else FAILED
            except subprocess.TimeoutExpired:
                how = LATE
            with self.lock:
                self.pids.discard(process.pid)
            end(process.pid)  # what it has started, too
            process.wait()
        if how == PASSED or self.over and how == FAILED:
            how = how if how == PASSED else STOPPED
            os.remove(log)
        return how

    def stop(self):
        with self.lock:
            self.over = True
            for pid in self.pids:
                end(pid)

    def until_one_fails(self, tests, seconds, jobs):
        """(name, how) of the first test that does not pass, or None. seconds: the time limit of a test."""
        failed = []

        def run(test):
            how = self.one(test, seconds(test))
            if how in (FAILED, LATE):
                failed.append((test.name, how))
                self.stop()

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(run, tests))
        return failed[0] if failed else None


def end(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def timed(call):
    start = time.monotonic()
    result = call()
    return result, time.monotonic() - start
