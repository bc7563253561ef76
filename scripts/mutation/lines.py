"""Which test runs which line of some files: a build that counts these, every test run once in it, kept in lines.json.
The other files are built as usual: a process that leaves counts of all of them takes many times as long to end.

Sets of tests are numbers whose bit i is test i. A line is known if gcov (or Python) has code in it. A line without
code, as of a table, is looked for in the function around it. Outside of functions it matters to all tests that run
anything of the file, if other files see only functions of it; else nothing is known."""
import concurrent.futures
import difflib
import functools
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading

from . import faults_python, tests
from .places import COUNTED, MAP, PART, PLACE, TREE, read

FLAGS = "-D_exit=vt_counted_exit"  # of all files
COUNTING = "--coverage -fprofile-update=single"  # of those whose lines count
LAUNCHER = """#!/bin/sh
for last; do :; done
grep -qxF -e "$last" {list} && set -- "$@" {flags}
exec "$@"
"""
HERE = os.path.dirname(os.path.abspath(__file__))
COUNTS = os.path.join(PLACE, "counts")
HOOK = os.path.join(PLACE, "hook")
SAVED = 20  # tests after which what was counted is saved
AT_ONCE = 60  # files that gcov is given
HEAD = 32  # bytes before the counts of a .gcda file: its build, and how often it was added to
MATTERS = ("src/", "include/", "cli/", "python/", "tests/", "fuzz/", "examples/", "cmake/", "CMakeLists.txt")


def holds(ran, listed, files):
    """Whether a map is of these sources and knows these files."""
    return ran.kept["key"] == key(listed) and set(ran.kept["files"]) >= set(files)


def key(listed):
    """What the map holds for: the sources."""
    found = hashlib.sha256()
    for name in sorted(listed):
        if name.startswith(MATTERS) and os.path.isfile(os.path.join(TREE, name)):
            with open(os.path.join(TREE, name), "rb") as f:
                found.update(name.encode() + b"\0" + hashlib.sha256(f.read()).digest())
    return found.hexdigest()


def launch(files):
    """Writes the program that starts the compiler, with other flags for the files that count; objects that were built
    with the flags of before are removed."""
    chosen, program = os.path.join(PLACE, "counted.txt"), os.path.join(PLACE, "launch")
    new = {os.path.join(TREE, f) for f in files}
    old = set(read(chosen).split()) if os.path.exists(chosen) else set()
    commands = os.path.join(COUNTED, "compile_commands.json")
    for c in json.loads(read(commands)) if os.path.exists(commands) else ():
        words = c["command"].split()
        built = os.path.join(c["directory"], words[words.index("-o") + 1])
        if c["file"] in new ^ old and os.path.exists(built):
            os.remove(built)
    with open(chosen, "w", encoding="utf-8") as f:
        f.write("\n".join(sorted(new)) + "\n")
    with open(program, "w", encoding="utf-8") as f:
        f.write(LAUNCHER.format(list=shlex.quote(chosen), flags=COUNTING))
    os.chmod(program, 0o755)
    return program


def build(jobs, run, files):
    """The build that counts the lines of some files."""
    ended = os.path.join(PLACE, "ended.o")
    log = os.path.join(PLACE, "prepare.log")
    links = [f"-DCMAKE_{kind}_LINKER_FLAGS={ended} --coverage" for kind in ("EXE", "SHARED", "MODULE")]
    if not (run(["cc", "-O2", "-fPIC", "-c", os.path.join(HERE, "ended.c"), "-o", ended], log)
            and run(["cmake", "-S", TREE, "-B", COUNTED, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DVT_TESTS=ON",
                     "-DVT_WERROR=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DCMAKE_C_FLAGS={FLAGS}",
                     f"-DCMAKE_C_COMPILER_LAUNCHER={launch(files)}", *links], log)
            and run(["cmake", "--build", COUNTED, "-j", str(jobs)], log)):
        sys.exit(f"the build that counts lines fails: {log}")
    pythons = [t.command[0] for t in tests.tests_of(COUNTED).values() if "unittest" in t.command] + [sys.executable]
    say = "import sys; print('python%d.%d' % sys.version_info[:2])"
    version = subprocess.run([pythons[0], "-c", say], check=True, capture_output=True, text=True)
    folder = os.path.join(HOOK, "lib", version.stdout.strip(), "site-packages")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(HERE, "usercustomize.py"), folder)


def strays():
    """Files of counts that no test is known for."""
    return [os.path.join(folder, f) for folder, _, files in os.walk(COUNTED) for f in files if f.endswith(".gcda")]


class _Collector:
    """What tests leave behind becomes sets of tests."""

    def __init__(self):
        self.lock, self.lines, self.functions, self.seen = threading.Lock(), {}, {}, {}

    def take(self, folder, bit):
        """Adds the test whose bit is given; whether a process of it was killed, which loses its counts."""
        at, new = set(), []
        for place, _, names in os.walk(os.path.join(folder, "gcda")):
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as f:
                    data = f.read()
                built = path[len(folder) + len("/gcda"):]
                if not built.startswith((COUNTED + "/src/", COUNTED + "/cli/")):
                    continue
                what = built, hashlib.sha256(data[HEAD:]).digest()
                at.add(what)
                if what not in self.seen and os.path.exists(built[:-5] + ".gcno"):
                    os.symlink(built[:-5] + ".gcno", path[:-5] + ".gcno")
                    new.append((path, what))
        for i in range(0, len(new), AT_ONCE):
            self.look(new[i:i + AT_ONCE])
        with self.lock:
            for what in at:
                ran, functions = self.seen.get(what, ((), ()))
                for place in ran:
                    self.lines[place] = self.lines.get(place, 0) | bit
                for place in functions:
                    self.functions[place] = self.functions.get(place, 0) | bit
        alive = False
        for name in os.listdir(os.path.join(folder, "run")):
            alive |= not name.endswith(".lines")
            for line in read(folder, "run", name).split("\n") if name.endswith(".lines") else ():
                path, _, number = line.rpartition(":")
                if number:
                    with self.lock:
                        self.lines[path, int(number)] = self.lines.get((path, int(number)), 0) | bit
        return alive

    def look(self, files):
        """What gcov says about files of counts: which lines and functions ran."""
        by_path = {path: what for path, what in files}
        text = subprocess.run(["gcov", "--json-format", "--stdout", *by_path], cwd=COUNTED, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        for document in filter(None, text.split("\n")):
            document = json.loads(document)
            ran, functions = [], []
            for f in document["files"]:
                path = os.path.relpath(os.path.join(COUNTED, f["file"]), TREE)
                if path.startswith(".."):
                    continue
                with self.lock:
                    for line in f["lines"]:
                        self.lines.setdefault((path, line["line_number"]), 0)
                    for function in f["functions"]:
                        self.functions.setdefault((path, function["start_line"], function["end_line"]), 0)
                ran += [(path, line["line_number"]) for line in f["lines"] if line["count"]]
                functions += [(path, x["start_line"], x["end_line"]) for x in f["functions"] if x["execution_count"]]
            self.seen[by_path[document["data_file"]]] = ran, functions


class _Count:
    """What is known of the tests that were counted; kept on the disk, so that a count that was ended goes on."""

    def __init__(self, key_now, files, names):
        self.whole = {"key": key_now, "files": sorted(files), "tests": names}
        self.collector, self.seconds, self.ends, self.blind = _Collector(), {}, {}, set()
        part = json.loads(read(PART)) if os.path.exists(PART) else {}
        if all(part.get(name) == value for name, value in self.whole.items()):
            self.seconds, self.ends, self.blind = part["seconds"], part["ends"], set(part["blind"])
            self.collector.lines = {(path, line): int(bits, 16) for path, line, bits in part["lines"]}
            self.collector.functions = {(path, a, b): int(bits, 16) for path, a, b, bits in part["functions"]}

    def add(self, name, folder, end, seconds):
        blind = self.collector.take(folder, 1 << self.whole["tests"].index(name))
        with self.collector.lock:
            self.ends[name], self.seconds[name] = end, seconds
            self.blind |= {name} if blind else set()
            if len(self.ends) % SAVED == 0:
                self.save()
            if len(self.ends) % 50 == 0:
                print(f"{len(self.ends)} tests were counted", flush=True)

    def save(self):
        """The collector is locked. Lines of a test that is under way may be there already: it will add the same."""
        c = self.collector
        part = {**self.whole, "seconds": self.seconds, "ends": self.ends, "blind": sorted(self.blind),
                "lines": [(*place, hex(bits)) for place, bits in c.lines.items()],
                "functions": [(*place, hex(bits)) for place, bits in c.functions.items()]}
        with open(PART + ".new", "w", encoding="utf-8") as f:
            json.dump(part, f)
        os.replace(PART + ".new", PART)


def measure(listed, jobs, run, files):
    """Runs every test and writes the map of some files."""
    build(jobs, run, [f for f in files if f.endswith(".c")])
    found = tests.tests_of(COUNTED)
    names = sorted(set(found) - set(tests.OWN_BUILD))
    count = _Count(key(listed), files, names)
    shutil.rmtree(COUNTS, ignore_errors=True)
    for stray in strays():  # of tools that ran while the rest was built
        os.remove(stray)

    def one(name):
        folder = os.path.join(COUNTS, name)
        os.makedirs(os.path.join(folder, "run"))
        runs = tests.Runs(os.path.join(PLACE, "counted"), {
            "GCOV_PREFIX": os.path.join(folder, "gcda"), "VT_COUNTED": os.path.join(folder, "run"),
            "VT_COUNTED_TREE": TREE, "VT_COUNTED_FILES": " ".join(files), "PYTHONUSERBASE": HOOK})
        count.add(name, folder, *tests.timed(lambda: runs.one(found[name], 3 * found[name].timeout)))
        shutil.rmtree(folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [name for name in names if name not in count.ends]))
    lost = strays()
    if lost:
        print(f"{len(lost)} files are counts of processes that dropped the environment, such as {lost[0]}", flush=True)
    lines, functions = {}, {}
    for (path, line), bits in count.collector.lines.items():
        lines.setdefault(path, {})[str(line)] = hex(bits)  # as JSON has it
    for (path, first, last), bits in count.collector.functions.items():
        functions.setdefault(path, []).append([first, last, hex(bits)])
    kept = {**count.whole, "seconds": count.seconds, "blind": sorted(count.blind), "lines": lines,
            "failed": [n for n in count.ends if count.ends[n] != tests.PASSED], "functions": functions, "verified": [],
            "texts": {p: read(TREE, p) for p in listed if p.startswith(("src/", "cli/", "python/"))
                      and p.endswith((".c", ".h", ".def", ".py"))}}
    ran = Lines(kept)
    ran.keep()
    return ran


class Lines:
    """The map, as asked."""

    def __init__(self, kept):
        self.kept, self.names, self.seconds = kept, kept["tests"], kept["seconds"]
        self.blind = set(kept["blind"])

    def keep(self):
        with open(MAP, "w", encoding="utf-8") as f:
            json.dump(self.kept, f)

    def named(self, bits):
        return {self.names[i] for i in range(bits.bit_length()) if bits >> i & 1}

    @functools.lru_cache(None)
    def moved(self, path):
        """{line of today: line when the tests were counted} of a file."""
        old, new = self.kept["texts"].get(path, "").split("\n"), read(TREE, path).split("\n")
        if old == new:
            return None
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        return {b.b + i + 1: b.a + i + 1 for b in blocks for i in range(b.size)}

    def running(self, path, line):
        """Names of the tests that run a line, or None where that is not known."""
        if path.endswith(".def"):
            return None  # included in many places, tests among them
        moved = self.moved(path)
        line = line if moved is None else moved.get(line)
        of_file = self.kept["lines"].get(path)
        if line is None or not of_file:
            return None
        if path.endswith(".py"):
            text = self.kept["texts"][path]
            where = [line] if line in faults_python.lines_of_code(text) else faults_python.statement(text, line)
            return self.named(functools.reduce(int.__or__, (int(of_file.get(str(i), "0"), 16) for i in where)))
        if str(line) in of_file:
            return self.named(int(of_file[str(line)], 16))
        around = [int(bits, 16) for first, last, bits in self.kept["functions"].get(path, ()) if first <= line <= last]
        if around:
            return self.named(functools.reduce(int.__or__, around))
        return self.of_file(path) if self.closed(path) else None

    @staticmethod
    def closed(path):
        """Whether nothing but functions of a C file is seen by others: then its tables matter to who runs it only."""
        with open(os.path.join(COUNTED, "compile_commands.json"), encoding="utf-8") as f:
            words = [c["command"].split() for c in json.load(f) if c["file"] == os.path.join(TREE, path)]
        built = [w[w.index("-o") + 1] for w in words]
        seen = subprocess.run(["nm", "--extern-only", "--defined-only", "--format=posix", *built], cwd=COUNTED,
                              check=True, capture_output=True, text=True).stdout if built else "unknown X"
        return all(line.split()[1] == "T" for line in seen.split("\n") if len(line.split()) > 1)

    def of_file(self, path):
        """Names of the tests that run anything of a file."""
        sets = (int(bits, 16) for bits in self.kept["lines"].get(path, {}).values())
        return self.named(functools.reduce(int.__or__, sets, 0))

    def limit(self, test):
        """Seconds after which a test is taken never to end."""
        return 60 + 10 * self.seconds.get(test.name, test.timeout / 10)


def load():
    """The map on the disk, or None."""
    if not os.path.exists(MAP):
        return None
    with open(MAP, encoding="utf-8") as f:
        return Lines(json.load(f))
