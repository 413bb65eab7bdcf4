#!/usr/bin/env python3
"""Runs small programs plain and profiled, and compares what they did: see `ci/faults`.

Compares for each: the exit code or signal, standard output, the lines on standard error, every file
below the working folder, what is left in the folder for temporary files, processes left behind, and
whether it ends in time. Then reads the profile.
"""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from tries import EITHER, PROFILE, TRIES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
BUILT = TARGET / "faults"
WORKSPAN = Path(os.environ.get("WORKSPAN", TARGET / "release" / "workspan")).resolve()
LIMIT = float(os.environ.get("FAULTS_LIMIT", 30))
AT_ONCE = 2
VARIABLES = ("PATH", "HOME", "LANG", "RUSTUP_HOME", "CARGO_HOME", "WORKSPAN_LIBRARY", "LD_LIBRARY_PATH")


def built(*command, **options):
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"faults: {shlex.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build():
    """Builds the programs and libraries: plain and profiled programs by the name of their group."""
    BUILT.mkdir(parents=True, exist_ok=True)
    rust = BUILT / "rust"
    environment = dict(os.environ, CARGO_TARGET_DIR=str(rust))
    cargo = dict(cwd=HERE / "programs", env=environment)
    built("cargo", "build", "--quiet", "--locked", "--release", **cargo)
    wrapper = WORKSPAN.with_name("cargo-workspan")
    built(wrapper, "workspan", "run", "--quiet", "--locked", "--release", "--no-report", "--", "work", **cargo)

    def compiled(compiler, source, name, *options):
        built(compiler, "-O2", "-g", HERE / "c" / source, *options, "-o", BUILT / name)
        return str(BUILT / name)

    openmp = compiled("gcc", "openmp.c", "openmp", "-fopenmp", "-pthread")
    flags = shlex.split(built(WORKSPAN, "cxxflags"))
    return {
        "rayon": (str(rust / "release" / "faults"), str(rust / "workspan" / "release" / "faults")),
        "openmp": (openmp, openmp),
        "tbb": (compiled("g++", "tbb.cpp", "tbb-plain", "-ltbb"), compiled("g++", "tbb.cpp", "tbb", *flags, "-ltbb")),
        "plugin": str(rust / "release" / "libplugin.so"),
        "plugin_of_c": compiled("gcc", "plugin.c", "plugin.so", "-shared", "-fPIC"),
        "preloaded": compiled("gcc", "preloaded.c", "preloaded.so", "-shared", "-fPIC"),
    }


def available():
    """Which needs of the tries this machine meets."""
    has = set()
    if os.geteuid() == 0:
        has.add("root")
    if os.uname().machine == "x86_64":
        has.add("seccomp")
    mounts = ["unshare", "--mount", "true"]
    if shutil.which("unshare") and subprocess.run(mounts, capture_output=True).returncode == 0:
        has.add("namespaces")
    return has


class Run:
    """One run of a try; the plain and the profiled run use the same folders."""

    def __init__(self, entry, programs, is_profiled):
        self.entry = entry
        base = BUILT / "tries" / re.sub(r"\W+", "-", entry.name)
        if base.exists():
            shutil.rmtree(base)
        folders = {"cwd": base / entry.folder, "tmp": base / "tmp", "bin": base / "bin", "out": base / "out"}
        for folder in folders.values():
            folder.mkdir(parents=True)
        files = {name: programs[name] for name in ("plugin", "plugin_of_c", "preloaded")}
        places = {name: str(folder) for name, folder in folders.items()} | files
        group, *arguments = shlex.split(entry.command)
        program = folders["bin"] / "program"
        os.link(programs[group][is_profiled], program)
        command = [entry.called or str(program)] + [argument.format(**places) for argument in arguments]
        self.profile = folders["out"] / "profile.wsp"
        if is_profiled:
            command = [str(WORKSPAN), "run", "-o", str(self.profile), "--"] + command
        given = {
            "command": command, "cwd": str(folders["cwd"]), "limits": entry.limits, "refused": entry.refused,
            "mounts": [[what, place.format(**places)] for what, place in entry.mounts], "ignored": entry.ignored,
            "affinity": entry.affinity, "nice": entry.nice, "send": entry.send, "limit": LIMIT, "linger": entry.linger,
            "stdin": self.input(base), "stdout": entry.stdout or str(base / "stdout"),
            "stderr": entry.stderr or str(base / "stderr"), "inherit": entry.inherit,
            "environment": self.environment(places),
        }
        (base / "given").write_text(json.dumps(given), encoding="utf-8")
        supervise = [sys.executable, "-I", "-S", HERE / "supervise.py", base / "given", base / "result"]
        done = subprocess.run(supervise, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"supervise.py failed: {done.stderr}")
        result = json.loads((base / "result").read_text())
        self.late, self.seconds = result["late"], result["seconds"]
        self.left = [name for name in result["left"]]
        code = result["code"]
        self.code = code if code is None or code >= 0 else 128 - code
        self.output = contents(base / "stdout")
        self.errors = contents(base / "stderr").decode(errors="replace")
        self.files = files_below(folders["cwd"])
        self.temporary = files_below(folders["tmp"])
        self.base = base

    def input(self, base):
        known = {"large": b"0123456\n" * (1 << 20), "line": b"a line\n"}
        if self.entry.stdin not in known:
            return self.entry.stdin
        file = base / "stdin"
        file.write_bytes(known[self.entry.stdin])
        return str(file)

    def environment(self, places):
        changes = dict(self.entry.environment)
        names = ("PATH", "HOME") if "*" in changes else VARIABLES
        changes.pop("*", None)
        variables = {name: os.environ[name] for name in names if name in os.environ}
        variables |= {"TMPDIR": places["tmp"], "PATH": places["bin"] + ":" + os.environ["PATH"]}
        for name, value in changes.items():
            variables.pop(name, None)
            if value is not None:
                variables[name] = value.format(**places)
        return variables


def contents(file):
    return file.read_bytes() if file.exists() else b""


def files_below(folder):
    """Mode (with the kind) and content of each file, by its name."""
    found = {}
    for place, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(place, name)
            mode = os.lstat(path).st_mode
            with_content = stat.S_ISREG(mode)
            found[os.path.relpath(path, folder)] = (oct(mode), Path(path).read_bytes() if with_content else b"")
    return found


def shown(value, most=90):
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}… ({len(value)})"


def first_difference(plain, profiled):
    """Describes the first difference between two outputs."""
    lines = plain.splitlines(), profiled.splitlines()
    for one, other in zip(*lines):
        if one != other:
            return f"{shown(one)} became {shown(other)}"
    return f"{len(lines[0])} lines became {len(lines[1])}: {shown(plain[-60:])}, {shown(profiled[-60:])}"


def without_numbers(line):
    """A line of standard error without the number of the thread that panicked."""
    return re.sub(r"\(\d+\)", "(N)", line)


def differences(entry, plain, profiled):
    if plain.late:
        yield "the plain run did not end in time"
        return
    if profiled.late:
        yield f"time: did not end within {LIMIT:.0f} s, plain {plain.seconds:.1f} s"
        return
    code = plain.code if entry.code is None else entry.code
    if profiled.code != code:
        yield f"exit code: {plain.code} became {profiled.code}" + (f", not {code}" if entry.code is not None else "")
    if profiled.output != plain.output and not (entry.code == 3 and not profiled.output):
        yield f"standard output: {first_difference(plain.output, profiled.output)}"
    if entry.errors:
        have = {without_numbers(line) for line in profiled.errors.splitlines()}
        lost = [line for line in plain.errors.splitlines() if without_numbers(line) not in have]
        if lost:
            yield f"standard error lacks {shown(lost[0])}"
    for what, one, other in (("files", plain.files, profiled.files), ("temporary files", plain.temporary, profiled.temporary)):
        for name in sorted(one.keys() | other.keys()):
            if name not in other:
                yield f"{what}: {shown(name)} is not there"
            elif name not in one:
                yield f"{what}: {shown(name)} is new"
            elif one[name][0] != other[name][0]:
                yield f"{what}: the mode of {shown(name)} is {other[name][0]}, not {one[name][0]}"
            elif one[name] != other[name]:
                yield f"{what}: {shown(name)}: {first_difference(one[name][1], other[name][1])}"
    if profiled.left != plain.left:
        yield f"children: left behind {profiled.left}, plain {plain.left}"
    yield from of_the_profile(entry, profiled)


def of_the_profile(entry, profiled):
    has = profiled.profile.is_file()
    if has:
        read = subprocess.run([WORKSPAN, "report", "--json", "-", profiled.profile], capture_output=True, text=True)
        try:
            json.loads(read.stdout)
        except ValueError:
            yield f"profile: cannot be read: {shown(read.stderr.strip(), 200)}"
    told = [line for line in profiled.errors.splitlines() if line.startswith("workspan")]
    if entry.profile == PROFILE:
        if not has:
            yield f"profile: there is none; {shown(told[-1] if told else profiled.errors[-100:], 200)}"
    elif entry.profile == EITHER:
        if not has and not any("profile" in line for line in told):
            yield f"profile: there is none, and nothing says why: {shown(profiled.errors[-100:], 200)}"
    elif not re.search(entry.profile, profiled.errors):
        yield f"messages: nothing says {entry.profile!r}: {shown(told[-1] if told else profiled.errors[-100:], 200)}"


def tried(entry, programs, has):
    """Runs a try: its outcome, the differences found, and seconds taken."""
    lacking = [need for need in entry.needs if need not in has]
    if lacking:
        for need in lacking:
            subprocess.run([ROOT / "ci/skip", need, f"faults: {entry.name}"], check=True)
        return "skipped", [], 0.0
    plain = Run(entry, programs, False)
    profiled = Run(entry, programs, True)
    found = list(differences(entry, plain, profiled))
    if not found:
        shutil.rmtree(profiled.base)
    return ("FAILED" if found else "ok"), found, plain.seconds + profiled.seconds


def main():
    wanted = sys.argv[1:]
    if wanted == ["--list"]:
        for entry in TRIES:
            print(f"{entry.about:14} {entry.name:42} {entry.command}")
        return 0
    names = {entry.name for entry in TRIES}
    assert len(names) == len(TRIES), "two tries have one name"
    chosen = [entry for entry in TRIES if not wanted or any(word in (entry.name, entry.about) for word in wanted)]
    if not chosen:
        sys.exit(f"faults: no try has the name {wanted[0]!r}; `ci/faults --list` lists them")
    programs, has = build(), available()
    counts = {"ok": 0, "FAILED": 0, "skipped": 0}
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        rows = pool.map(lambda entry: tried(entry, programs, has), chosen)
        for entry, (outcome, found, seconds) in zip(chosen, rows):
            counts[outcome] += 1
            print(f"{entry.about:14} {entry.name:42} {seconds:5.1f} s  {outcome}", flush=True)
            for difference in found:
                print(f"    {difference}")
    print(f"faults: {counts['ok']} of {len(chosen) - counts['skipped']}")
    print(f"{counts['ok']} passed, {counts['FAILED']} failed, {counts['skipped']} skipped")
    return int(counts["FAILED"] > 0)


sys.exit(main())
