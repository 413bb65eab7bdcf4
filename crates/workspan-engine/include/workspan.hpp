// workspan for C++17: regions, tasks, blocks, loops and locks that end where their objects go, by an exception, too. Over
// workspan.h, which says what they are. Nothing here throws of itself; with WORKSPAN_DISABLED all of it is empty.
#ifndef WORKSPAN_HPP
#define WORKSPAN_HPP

#include <workspan.h>

#include <cstdint>
#include <utility>

namespace workspan {

/// Is a profile taken?
inline bool is_profiled() noexcept { return workspan_active() != 0; }

/// Of the program so far, in nanoseconds; zeros when no profile is taken.
inline workspan_totals totals() noexcept { return workspan_totals_now(); }

/// Writes the profile so far to the file `path`, or if that is null to PROGRAM-1.raw, PROGRAM-2.raw ... 0 if that is done,
/// `WORKSPAN_NOT_PROFILED`, or a number of errno.
inline int dump(const char *path = nullptr) noexcept { return workspan_dump(path); }

/// A named region of the code that runs while the object lives, on one thread: `workspan::region all("sort");`
class [[nodiscard]] region {
    std::uint64_t token;

public:
    explicit region(const char *name, const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept
        : token(workspan_region_begin_named(name, file, line)) {
        static_cast<void>(name);
        static_cast<void>(file);
        static_cast<void>(line);
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;
    ~region() { workspan_region_end(token); }
};

/// A task that waits to be run, by whatever thread: made by the one that spawns it, moved to the one that runs it.
/// One that goes without having run is an empty task.
class [[nodiscard]] task {
    workspan_task *handle = nullptr;

public:
    task() noexcept = default;
    /// The running task spawns it. `WORKSPAN_SITE(WORKSPAN_TASK, "name")` is the place.
    explicit task(const workspan_site *site) noexcept : handle(workspan_task_spawn(site)) { static_cast<void>(site); }
    task(task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    task &operator=(task &&other) noexcept {
        std::swap(handle, other.handle);
        return *this;
    }
    ~task() {
        if (handle != nullptr) {
            workspan_task_begin(handle);
            workspan_task_end(handle);
        }
    }

    /// Runs `function` as the task, on the calling thread; gives back what it does.
    template <typename Function>
    decltype(auto) run(Function &&function) {
        struct running {
            workspan_task *const now;
            ~running() { workspan_task_end(now); }
        } ends{std::exchange(handle, nullptr)};
        workspan_task_begin(ends.now);
        return std::forward<Function>(function)();
    }
};

/// The running task goes on after all that it has spawned. Call it after the wait.
inline void sync() noexcept { workspan_sync(); }

/// The calling thread waits for its tasks while the object lives; it may run others meanwhile.
class [[nodiscard]] waiting {
public:
    waiting() noexcept { workspan_wait_begin(); }
    waiting(const waiting &) = delete;
    waiting &operator=(const waiting &) = delete;
    ~waiting() { workspan_wait_end(); }
};

/// A block that awaits all tasks spawned in it. They must have ended when the object goes.
class [[nodiscard]] scope {
public:
    explicit scope(const workspan_site *site) noexcept {
        static_cast<void>(site);
        workspan_scope_begin(site);
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    ~scope() { workspan_scope_end(); }
};

/// A parallel loop: its pieces must have ended when the object goes, on the thread that made it.
class [[nodiscard]] loop {
    workspan_loop *const handle;

public:
    explicit loop(const workspan_site *site) noexcept : handle(workspan_loop_begin(site)) { static_cast<void>(site); }
    loop(const loop &) = delete;
    loop &operator=(const loop &) = delete;
    ~loop() { workspan_loop_end(handle); }

    /// What the calling thread runs while the object lives is a piece of the loop.
    class [[nodiscard]] piece {
        workspan_loop *const of;

    public:
        explicit piece(const loop &all) noexcept : of(all.handle) { workspan_loop_piece_begin(of); }
        piece(const piece &) = delete;
        piece &operator=(const piece &) = delete;
        ~piece() { workspan_loop_piece_end(of); }
    };
};

/// Holds a mutex while it lives, as std::lock_guard does, and tells of it:
/// `workspan::lock_guard hold(queue, WORKSPAN_SITE(WORKSPAN_LOCK, "queue"));` Throws what `lock` of the mutex throws.
template <typename Mutex>
class [[nodiscard]] lock_guard {
    Mutex &mutex;

public:
    lock_guard(Mutex &of, const workspan_site *site) : mutex(of) {
        static_cast<void>(site);
        struct wait {
            bool is_over = false;
            wait() noexcept { workspan_lock_acquire(); }
            ~wait() {
                if (!is_over) {
                    workspan_lock_given_up();
                }
            }
        } wait;
        mutex.lock();
        wait.is_over = true;
        workspan_lock_acquired(&mutex, site);
    }
    lock_guard(const lock_guard &) = delete;
    lock_guard &operator=(const lock_guard &) = delete;
    ~lock_guard() {
        workspan_lock_released(&mutex);
        mutex.unlock();
    }
};

} // namespace workspan

#endif
