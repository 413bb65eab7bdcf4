"""Runs one program in surroundings that a JSON object describes, and records how it ended:

    supervise.py DESCRIPTION RESULT

Children that the program leaves behind become this process's: it waits for them, lists them, and
ends them.
"""

import ctypes
import ctypes.util
import json
import os
import resource
import signal
import struct
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
CLONE_NEWNS = 0x20000
MS_RDONLY, MS_BIND, MS_REMOUNT, MS_REC, MS_PRIVATE = 1, 4096, 32, 16384, 1 << 18
# Numbers of x86-64 system calls, by the names in the table of tries.
CALLS = {
    "open": 2, "mmap": 9, "rt_sigaction": 13, "sched_yield": 24, "madvise": 28, "setitimer": 38, "clone": 56, "fcntl": 72,
    "getrusage": 98, "sigaltstack": 131, "prctl": 157, "gettid": 186, "sched_getaffinity": 204, "timer_create": 222,
    "timer_settime": 223, "openat": 257, "process_vm_readv": 310, "perf_event_open": 298, "getcpu": 309, "seccomp": 317,
    "getrandom": 318, "memfd_create": 319, "membarrier": 324, "statx": 332, "rseq": 334, "clone3": 435, "close_range": 436,
}
O_CREAT = 0o100

libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def refuse(calls):
    """Makes system calls fail: `calls` are names and error numbers. `create` is `openat` of a file
    that may be new."""

    def step(code, yes, no, value):
        return struct.pack("HBBI", code, yes, no, value)

    load, equal, bits, result = 0x20, 0x15, 0x45, 0x06
    filters = [step(load, 0, 0, 0)]
    for name, error in calls:
        refused = step(result, 0, 0, 0x00050000 | error)
        if name == "create":
            filters += [step(equal, 0, 4, CALLS["openat"]), step(load, 0, 0, 32), step(bits, 0, 1, O_CREAT), refused,
                        step(load, 0, 0, 0)]
        else:
            filters += [step(equal, 0, 1, CALLS[name]), refused]
    filters.append(step(result, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(b"".join(filters))
    program = struct.pack("HxxxxxxQ", len(filters), ctypes.addressof(code))
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    check(libc.prctl(PR_SET_SECCOMP, 2, ctypes.c_char_p(program), 0, 0))


def mount(source, target, kind, flags, options=None):
    check(libc.mount(source.encode(), target.encode(), kind and kind.encode(), flags, options and options.encode()))


def enter_namespace(mounts):
    check(libc.unshare(CLONE_NEWNS))
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    for what, target in mounts:
        if what == "empty":
            mount("none", target, "tmpfs", MS_RDONLY)
        elif what == "full":
            mount("none", target, "tmpfs", 0, "size=16k")
            with open(os.path.join(target, "filler"), "wb", buffering=0) as file:
                try:
                    while file.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
        elif what == "read-only":
            mount(target, target, None, MS_BIND)
            mount("none", target, None, MS_BIND | MS_REMOUNT | MS_RDONLY)


def stream(number, what):
    """Makes standard stream `number` what the try wants."""
    if what == "closed":
        os.close(number)
        return
    if what == "broken pipe":
        reader, opened = os.pipe()
        os.close(reader)
    elif number == 0:
        opened = os.open(what, os.O_RDONLY)
    else:
        opened = os.open(what, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
    os.dup2(opened, number)
    if opened != number:
        os.close(opened)


def become(given):
    os.setpgid(0, 0)
    os.umask(0o22)
    if given["mounts"]:
        enter_namespace(given["mounts"])
    os.chdir(os.fsencode(given["cwd"]))
    for number in given["ignored"]:
        signal.signal(number, signal.SIG_IGN)
    # As if started by a shell: Python ignores the first two for itself, and a command in the
    # background has the others ignored.
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT):
        if number not in given["ignored"]:
            signal.signal(number, signal.SIG_DFL)
    if given["inherit"]:
        os.dup2(os.open(given["inherit"], os.O_WRONLY | os.O_CREAT, 0o644), 7)
    if given["affinity"]:
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: given["affinity"]]))
    os.nice(given["nice"])
    # From here on, the interpreter has no standard streams of its own on which to report errors.
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream(number, given[name])
    for name, value in given["limits"].items():
        soft = resource.RLIM_INFINITY if value is None else value
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (soft, soft))
    if given["refused"]:
        refuse(given["refused"])
    environment = {os.fsencode(name): os.fsencode(value) for name, value in given["environment"].items()}
    command = [os.fsencode(argument) for argument in given["command"]]
    os.execvpe(command[0], command, environment)


def children():
    with open("/proc/self/task/%d/children" % os.getpid(), encoding="ascii") as file:
        return [int(process) for process in file.read().split()]


def name_of(process):
    try:
        with open("/proc/%d/comm" % process, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "?"


def end_all():
    """Ends all remaining children, and those that become ours when they end."""
    while remaining := children():
        for process in remaining:
            os.kill(process, signal.SIGKILL)
            try:
                os.waitpid(process, 0)
            except ChildProcessError:
                pass


def is_ready(output):
    """Whether the program has printed that it is ready for a signal."""
    try:
        with open(output, "rb") as file:
            return b"ready\n" in file.read()
    except FileNotFoundError:
        return False


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    check(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    start = time.monotonic()
    program = os.fork()
    if program == 0:
        try:
            become(given)
        except BaseException as error:
            os.write(2, ("supervise: %r\n" % error).encode())
        os._exit(120)
    status, sent, late, ended_at = None, False, False, 0.0
    while True:
        try:
            process, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        now = time.monotonic()
        if process == program:
            status, ended_at = how, now
        elif process == 0:
            if status is None and now - start > given["limit"]:
                late = True
                break
            if status is not None and now - ended_at > given["linger"]:
                break
            if given["send"] and not sent and is_ready(given["stdout"]):
                sent = True
                time.sleep(0.1)
                number, to = given["send"]
                (os.killpg if to == "group" else os.kill)(program, number)
            time.sleep(0.005)
    left = sorted(name_of(process) for process in children() if process != program)
    end_all()
    code = None if status is None else os.waitstatus_to_exitcode(status)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"code": code, "late": late, "left": left, "seconds": time.monotonic() - start}, file)


main()
