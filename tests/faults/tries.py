"""The table of tries: each is a small program, its surroundings, and what its profile must be."""

import signal
from dataclasses import dataclass, field

# What the profiled run must leave.
PROFILE = "profile"  # a profile that `workspan report` reads
EITHER = "either"  # such a profile, or workspan's message that there is none, and why


@dataclass
class Try:
    name: str
    # The part of the promise that it tries, for the list.
    about: str
    # `rayon NAME…`, `openmp NAME…`, `tbb NAME…`; {plugin}, {plugin_of_c} stand for files.
    command: str
    profile: str = PROFILE
    # What workspan must print, as a regular expression.
    says: str = ""
    # The exit code of the profiled run, if it is promised to differ from the plain one, and why.
    code: int = None
    why: str = ""
    limits: dict = field(default_factory=dict)
    refused: list = field(default_factory=list)
    # What is mounted, and where: {cwd}, {tmp} stand for the try's folders.
    mounts: list = field(default_factory=list)
    ignored: list = field(default_factory=list)
    affinity: int = 0
    nice: int = 0
    send: list = None
    stdin: str = "/dev/null"
    stdout: str = ""
    stderr: str = ""
    inherit: str = ""
    environment: dict = field(default_factory=dict)
    # The name by which the program is started: a path from its working folder, or found in PATH.
    called: str = ""
    folder: str = "cwd"
    # Whether the lines of the plain run on standard error must be in the profiled run's, too.
    errors: bool = True
    # How long children may outlive the program, in seconds.
    linger: float = 3.0

    @property
    def needs(self):
        needs = []
        if self.mounts:
            needs.append("namespaces")
        if self.refused:
            needs.append("seccomp")
        if self.command.split()[1:2] in (["chroot"], ["nobody"], ["no-more-threads"]):
            needs.append("root")
        return needs


EPERM, EACCES, EINVAL, ENOSYS = 1, 13, 22, 38
KILLED = "no profile"
MIB = 1 << 20


def ends():
    """Returns, panics, exits and aborts."""
    rayon = [
        ("returns", "work"), ("panic in main", "panic-main"), ("panic in join", "panic-join"),
        ("panic in scope", "panic-scope"), ("panic handler of a pool", "panic-handler"),
        ("panic in a parallel loop", "panic-par-iter"), ("panic hook uses rayon", "panic-hook"),
        ("exit in main", "exit-in-main"), ("exit in a task", "exit-in-task"), ("exit in a scope", "exit-in-scope"),
        ("exit in a thread", "exit-in-thread"), ("own exit code", "exit-code"), ("exit code 255", "exit-255"),
        ("threads run at exit", "threads-at-exit"), ("tasks run at exit", "tasks-at-exit"),
        ("thread-locals' destructors", "thread-locals"), ("atexit handler uses rayon", "atexit"),
        ("atexit handler starts rayon", "atexit-first"),
    ]
    yield from (Try(name, "how it ends", "rayon " + command) for name, command in rayon)
    aborts = [
        ("panic in spawn", "panic-spawn"), ("abort", "abort"),
        ("stack overflow", "stack-overflow"),
    ]
    yield from (Try(name, "how it ends", "rayon " + command, KILLED) for name, command in aborts)
    # It prints a backtrace with addresses.
    yield Try("panic while panicking", "how it ends", "rayon panic-twice", KILLED, errors=False)
    yield Try("_exit", "how it ends", "rayon underscore-exit", EITHER)
    yield Try("atexit handler calls _exit", "how it ends", "rayon atexit-exit", EITHER)


def signals():
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name)
        yield Try(f"{name} from itself", "signals", f"rayon raise {number}")
        yield Try(f"{name} ignored", "signals", f"rayon raise-ignored {number}")
        yield Try(f"{name} handled", "signals", f"rayon raise-handled {number}")
        yield Try(f"{name} handler exits", "signals", f"rayon handler-exits {number}", EITHER)
    yield Try("SIGINT in a task", "signals", "rayon raise-in-task 2")
    yield Try("code after raise", "signals", "rayon raise-at-once 15", EITHER)
    for name in ("SIGKILL", "SIGUSR1", "SIGQUIT", "SIGSYS"):
        yield Try(f"{name} from itself", "signals", f"rayon raise {getattr(signal, name)}", KILLED)
    yield Try("Ctrl-C", "signals", "rayon wait-for-signal", send=[signal.SIGINT, "group"])
    yield Try("SIGTERM from outside", "signals", "rayon wait-for-signal", send=[signal.SIGTERM, "program"])
    yield Try("hang up", "signals", "rayon wait-for-signal", send=[signal.SIGHUP, "group"])
    yield Try("Ctrl-C handled", "signals", "rayon wait-handled", send=[signal.SIGINT, "group"])
    yield Try("SIGHUP from outside handled", "signals", "rayon wait-handled", send=[signal.SIGHUP, "program"])
    yield Try("nohup", "signals", "rayon raise 1", ignored=[signal.SIGHUP])
    yield Try("bad address", "signals", "rayon fault", KILLED)
    yield Try("bad address handled", "signals", "rayon fault-handled", EITHER)
    yield Try("broken pipe", "signals", "rayon pipe", KILLED)
    yield Try("alternate signal stacks", "signals", "rayon own-stack")
    yield Try("own profiling timer", "signals", "rayon profiling-timer")
    yield Try("own timer of a thread", "signals", "rayon timer-of-thread")
    yield Try("all signals blocked", "signals", "rayon blocked")
    yield Try("waits for a signal", "signals", "rayon waits-for-a-signal")
    yield Try("waits are not cut short", "signals", "rayon interrupted-calls")
    yield Try("alarm", "signals", "rayon alarm", KILLED)
    yield Try("masks are as they were", "signals", "rayon signal-masks")


def loads():
    yield Try("10^7 spawns", "load", "rayon spawns 10000000")
    yield Try("5,000 pools", "load", "rayon pools 5000")
    yield Try("pools in pools", "load", "rayon nested-pools")
    yield Try("20,000 joins deep", "load", "rayon deep-joins 10000")
    yield Try("2,000 scopes deep", "load", "rayon deep-scopes 2000")
    yield Try("500 threads", "load", "rayon threads 500")
    yield Try("the main thread in the pool", "load", "rayon current-thread-pool")
    yield Try("one of each construct", "load", "rayon constructs")
    yield Try("C without frame pointers", "stacks", "rayon without-frames")


def refusals():
    """System calls that a sandbox refuses, both to workspan and to the program."""
    one = [
        ("membarrier", EPERM), ("membarrier", ENOSYS), ("timer_create", EPERM), ("timer_create", ENOSYS),
        ("timer_settime", EINVAL), ("perf_event_open", EPERM), ("memfd_create", ENOSYS), ("rseq", ENOSYS),
        ("clone3", ENOSYS), ("close_range", ENOSYS), ("statx", ENOSYS), ("getrandom", ENOSYS),
        ("sched_getaffinity", EPERM), ("process_vm_readv", EPERM), ("sigaltstack", EPERM), ("prctl", EPERM),
    ]
    words = {EPERM: "EPERM", ENOSYS: "ENOSYS", EINVAL: "EINVAL"}
    for call, error in one:
        # Rust's own runtime needs the alternate stack.
        yield Try(f"{call}: {words[error]}", "refused calls", "rayon work", refused=[[call, error]])
    yield Try("perf, timers and membarrier refused", "refused calls", "rayon constructs",
              refused=[["perf_event_open", EPERM], ["timer_create", EPERM], ["membarrier", EPERM], ["memfd_create", EPERM]])
    yield Try("no new files", "refused calls", "rayon work", "Permission denied", refused=[["create", EACCES]])


def limits():
    yield Try("few descriptors", "limits", "rayon work", limits={"NOFILE": 16})
    yield Try("all descriptors used", "limits", "rayon until-none-is-left", limits={"NOFILE": 64})
    yield Try("lowers its own descriptors", "limits", "rayon own-descriptor-limit", "Too many open files")
    yield Try("address space of 512 MiB", "limits", "rayon memory", limits={"AS": 512 * MIB})
    yield Try("files of 2 KiB", "limits", "rayon work", "too large", limits={"FSIZE": 2048}, code=4,
              why="the profile is larger")
    yield Try("files of 64 KiB", "limits", "rayon constructs", EITHER, limits={"FSIZE": 65536})
    yield Try("lowers its own file size", "limits", "rayon own-file-limit", "too large", code=4, why="the profile is larger")
    yield Try("exceeds its own file size", "limits", "rayon beyond-own-file-limit", EITHER)
    yield Try("exceeds it and ignores the signal", "limits", "rayon beyond-file-limit-ignored", "too large", code=4,
              why="the profile is larger")
    yield Try("no more processes", "limits", "rayon no-more-threads", EITHER)
    yield Try("small stacks", "limits", "rayon work", limits={"STACK": 256 << 10})
    yield Try("stacks without limit", "limits", "rayon work", limits={"STACK": None})
    yield Try("no core dumps", "limits", "rayon abort", KILLED, limits={"CORE": 0})
    yield Try("no locked memory", "limits", "rayon pages", limits={"MEMLOCK": 0})
    yield Try("locks its memory", "limits", "rayon pages")
    yield Try("no pending signals", "limits", "rayon work", limits={"SIGPENDING": 0})
    yield Try("a second of processor time", "limits", "rayon processor-time", KILLED)
    yield Try("limits are as they were", "limits", "rayon process")


def streams():
    closed = "closed"
    yield Try("output closed", "streams", "rayon prints-on-both", stdout=closed)
    yield Try("errors closed", "streams", "rayon prints-on-both", stderr=closed)
    yield Try("input closed", "streams", "rayon standard-input", stdin=closed)
    yield Try("all streams closed", "streams", "rayon writes-files", stdin=closed, stdout=closed, stderr=closed)
    yield Try("output on a full disk", "streams", "rayon write-error", stdout="/dev/full")
    yield Try("errors on a full disk", "streams", "rayon prints-on-both", stderr="/dev/full", errors=False)
    yield Try("output into a broken pipe", "streams", "rayon write-error", stdout="broken pipe")
    yield Try("errors into a broken pipe", "streams", "rayon work", stderr="broken pipe", errors=False)
    yield Try("input of 8 MB", "streams", "rayon standard-input", stdin="large")
    yield Try("a line of input", "streams", "rayon standard-input", stdin="line")
    yield Try("output of 8 MB", "streams", "rayon large-output")


def files():
    yield Try("writes on standard error, and a file", "files", "rayon prints-on-both")
    yield Try("closes all descriptors", "files", "rayon close-all")
    yield Try("closes a range of descriptors", "files", "rayon close-range")
    yield Try("closes from 0 on", "files", "rayon close-from-0", limits={"FSIZE": 2048}, profile=EITHER, code=4,
              why="there is no room for the profile, and its file of messages is the program's own")
    yield Try("closes descriptors first", "files", "rayon close-first")
    yield Try("closes standard streams", "files", "rayon close-streams", EITHER)
    yield Try("descriptors are its own", "files", "rayon descriptors")
    yield Try("inherits a descriptor", "files", "rayon inherited 7", inherit="inherited")
    yield Try("appends to a file", "files", "rayon append")
    yield Try("temporary files", "files", "rayon temporary")
    yield Try("a full disk for temporary files", "files", "rayon work", EITHER, mounts=[["full", "{tmp}"]], code=4,
              why="the profile has no room")
    yield Try("a full disk, and the program fails", "files", "rayon exit-code", EITHER, mounts=[["full", "{tmp}"]])
    yield Try("a folder that is read-only", "files", "rayon work", mounts=[["read-only", "{cwd}"]])
    yield Try("a target folder that is read-only", "files", "rayon work", mounts=[["read-only", "{bin}"]])


def surroundings():
    yield Try("no /proc", "surroundings", "rayon work", EITHER, mounts=[["empty", "/proc"]])
    yield Try("no /sys", "surroundings", "rayon work", mounts=[["empty", "/sys"]])
    yield Try("no /tmp", "surroundings", "rayon work", "/tmp.*|.*Read-only file system", mounts=[["empty", "/tmp"]], environment={"TMPDIR": None},
              code=3, why="workspan has no folder for the profile: the program is not run", errors=False)
    yield Try("environment", "surroundings", "rayon environment")
    yield Try("environment of a child", "surroundings", "rayon environment-of-child")
    yield Try("hardly any environment", "surroundings", "rayon environment", environment={"*": None})
    yield Try("arguments", "surroundings", "rayon arguments a --json '' -- ü")
    yield Try("a relative path", "surroundings", "rayon arguments", called="../bin/program")
    yield Try("found in PATH", "surroundings", "rayon arguments", called="program")
    yield Try("bytes that are no UTF-8", "surroundings", "rayon arguments \udcff\udcfe", folder="no \udcff UTF-8")
    yield Try("a folder with spaces", "surroundings", "rayon writes-files", folder="a folder with 'quotes' and spaces")
    yield Try("one core", "surroundings", "rayon process", affinity=1)
    yield Try("lower priority", "surroundings", "rayon process", nice=7)
    yield Try("C locale and time zone", "surroundings", "rayon name-and-locale", environment={"LC_ALL": "C", "TZ": "Asia/Tokyo"})
    yield Try("LD_PRELOAD is the user's", "surroundings", "rayon parent", environment={"LD_PRELOAD": "{preloaded}"})
    yield Try("library of C loaded and unloaded", "surroundings", "rayon plugin-of-c {plugin_of_c}")
    yield Try("library with rayon loaded and unloaded", "surroundings", "rayon plugin {plugin}")
    yield Try("library with rayon loaded first", "surroundings", "rayon plugin-first {plugin}")


def children():
    forks = [
        ("child exits", "fork-exit"), ("child returns from main", "fork-return"), ("child before rayon", "fork-before"),
        ("child calls _exit", "fork-underscore-exit"), ("child becomes a shell", "fork-exec"), ("child forks", "fork-again"),
        ("child is killed", "fork-killed"), ("child panics", "fork-panics"), ("fork in a task", "fork-in-task"),
        ("child has a pool", "fork-with-pool"), ("child has threads", "fork-with-threads"),
        ("100 forks beside pools", "fork-beside-pools"), ("eight children", "fork-long-record"),
        ("child outlives its parent", "child-outlives"), ("commands", "vfork"), ("commands in tasks", "commands-beside-tasks"),
        ("a command with pipes", "command-with-pipes"), ("waits for its own children alone", "only-own-children"),
    ]
    yield from (Try(name, "children", "rayon " + command) for name, command in forks)
    yield Try("daemon", "children", "rayon daemonize", EITHER)
    yield Try("daemon from the start", "children", "rayon daemonize-first", EITHER)


def processes():
    yield Try("becomes itself", "other programs", "rayon exec-self 3", EITHER)
    yield Try("becomes another program", "other programs", "rayon exec-other", EITHER)
    yield Try("becomes env", "other programs", "rayon exec-environment", EITHER)
    yield Try("becomes another in a thread", "other programs", "rayon exec-in-thread", EITHER)
    yield Try("cannot become another", "other programs", "rayon exec-fails")
    yield Try("chroot", "other programs", "rayon chroot", EITHER)
    yield Try("becomes nobody", "other programs", "rayon nobody", EITHER)
    yield Try("removes its folder", "other programs", "rayon folder-removed")
    yield Try("changes its folder", "other programs", "rayon other-folder")


def c():
    """Programs of C and C++."""
    openmp = ["work", "exit", "atexit", "joins", "fork", "close-all", "jump", "coroutine", "environment",
              f"raise {signal.SIGTERM}", f"raise {signal.SIGHUP}"]
    yield from (Try(f"OpenMP: {name}", "C", "openmp " + name) for name in openmp)
    yield Try("OpenMP: quick-exit", "C", "openmp quick-exit", EITHER)
    yield Try("OpenMP: abort", "C", "openmp abort", KILLED)
    yield Try("OpenMP: exec", "C", "openmp exec", EITHER)
    yield Try("OpenMP: all streams closed", "C", "openmp close-all", stdin="closed", stdout="closed", stderr="closed")
    yield Try("OpenMP: LD_PRELOAD is the user's", "C", "openmp parent", environment={"LD_PRELOAD": "{preloaded}"})
    yield Try("OpenMP: address space of 512 MiB", "C", "openmp work", limits={"AS": 512 * MIB})
    yield Try("OpenMP: perf and timers refused", "C", "openmp work", refused=[["perf_event_open", EPERM], ["timer_create", EPERM]])
    yield Try("OpenMP: no /proc", "C", "openmp work", EITHER, mounts=[["empty", "/proc"]])
    yield from (Try(f"oneTBB: {name}", "C", "tbb " + name) for name in ("work", "exit", "exception", "pthread-exit"))
    yield Try("OpenMP: code after raise", "C", f"openmp raise-at-once {signal.SIGTERM}", EITHER)
    yield Try("oneTBB: SIGTERM", "C", f"tbb raise {signal.SIGTERM}")
    yield Try("oneTBB: uncaught exception", "C", "tbb uncaught", KILLED)


TRIES = [entry for group in (ends, signals, loads, refusals, limits, streams, files, surroundings, children, processes, c)
         for entry in group()]
