/* workspan for C and C++: regions, tasks and loops of a program that brings its own runtime.
 *
 * Programs that use OpenMP need none of this, and those that use oneTBB or Cilk get it from elsewhere: see
 * docs/guides/native.md. For C++17 there is workspan.hpp.
 *
 * Everything here may stay in the program. Where it does not run under `workspan run`, the functions are not there (the
 * symbols are weak, and nothing is linked), calls do nothing, and NULL is fine for every task and loop. With
 * WORKSPAN_DISABLED defined there is not even the check.
 *
 * A program that does what a runtime would do in order, on one thread, is measured exactly: spawn, begin, the call, end;
 * sync where the wait would be. */
#ifndef WORKSPAN_H
#define WORKSPAN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the source. Static: its address tells it from others. */
typedef struct workspan_site {
    const char *file;
    unsigned line;
    unsigned column; /* 0: not known */
    const char *name; /* what people read for it, as a function's name; may be NULL */
    int kind; /* one of the following */
} workspan_site;

enum { WORKSPAN_TASK = 1, WORKSPAN_LOOP = 2, WORKSPAN_SCOPE = 3, WORKSPAN_LOCK = 4 };

/* A pointer to the site of the line on which this stands. Not in a function that is inline and not static. */
#ifdef __cplusplus
#define WORKSPAN_SITE(kind, name) \
    ([]() noexcept -> const workspan_site * { \
        static const workspan_site site = {__FILE__, __LINE__, 0, name, kind}; \
        return &site; \
    }())
#else
#define WORKSPAN_SITE(kind, name) \
    (__extension__({ \
        static const workspan_site workspan_site_here = {__FILE__, __LINE__, 0, name, kind}; \
        &workspan_site_here; \
    }))
#endif

typedef struct workspan_task workspan_task;
typedef struct workspan_loop workspan_loop;

/* Nanoseconds. */
typedef struct workspan_totals {
    int64_t work;          /* of the whole program so far */
    int64_t span;          /* of the longest path to the calling strand */
    int64_t burdened_span; /* the same with the cost of a steal on every edge that can be stolen */
} workspan_totals;

enum { WORKSPAN_NOT_PROFILED = -1 };

#ifndef WORKSPAN_DISABLED

#define WORKSPAN_WEAK __attribute__((weak))

/* 1 while a profile is taken. */
WORKSPAN_WEAK int workspan_active(void);

/* The running task spawns a child. NULL when no profile is taken. */
WORKSPAN_WEAK workspan_task *workspan_task_spawn(const workspan_site *site);
/* The calling thread runs the task from here on ... */
WORKSPAN_WEAK void workspan_task_begin(workspan_task *task);
/* ... up to here, where it has ended, and goes on with what it did before. The task is gone. Calls nest on each thread. */
WORKSPAN_WEAK void workspan_task_end(workspan_task *task);
/* The running task goes on after all children that it has spawned so far. Call it after the wait. */
WORKSPAN_WEAK void workspan_sync(void);

/* A block that awaits all tasks which are spawned in it, by whomever below the running task. Blocks nest. */
WORKSPAN_WEAK void workspan_scope_begin(const workspan_site *site);
WORKSPAN_WEAK void workspan_scope_end(void);

/* The calling thread waits for its tasks, which is nobody's work. It may begin and end others meanwhile. */
WORKSPAN_WEAK void workspan_wait_begin(void);
WORKSPAN_WEAK void workspan_wait_end(void);

/* A parallel loop of the running task, whose pieces (iterations or chunks) are parallel to each other. */
WORKSPAN_WEAK workspan_loop *workspan_loop_begin(const workspan_site *site);
/* The calling thread, whichever it is, runs a piece from here to the end. Pieces nest like tasks. */
WORKSPAN_WEAK void workspan_loop_piece_begin(workspan_loop *loop);
WORKSPAN_WEAK void workspan_loop_piece_end(workspan_loop *loop);
/* All pieces have ended. By the thread that began the loop, which is gone. */
WORKSPAN_WEAK void workspan_loop_end(workspan_loop *loop);

/* A lock, known by its address: what is done under one is done by one thread after the other, and reports say how far that
 * lets the program scale. The calling thread begins to wait for it, which is nobody's work ... */
WORKSPAN_WEAK void workspan_lock_acquire(void);
/* ... and has acquired it; without the call before it did not wait. It may acquire it again. */
WORKSPAN_WEAK void workspan_lock_acquired(const void *lock, const workspan_site *site);
/* It waits no more, without the lock. */
WORKSPAN_WEAK void workspan_lock_given_up(void);
/* It is about to release it, in the task that acquired it. */
WORKSPAN_WEAK void workspan_lock_released(const void *lock);
/* A lock is made where another may have been. Of use where locks come and go. */
WORKSPAN_WEAK void workspan_lock_made(const void *lock);

/* A named region of the running strand, as reports and what-if know it. The end takes what the beginning gave. */
WORKSPAN_WEAK uint64_t workspan_region_begin_named(const char *name, const char *file, unsigned line);
WORKSPAN_WEAK void workspan_region_end(uint64_t region);

/* What has been measured so far; zeros when no profile is taken. */
WORKSPAN_WEAK workspan_totals workspan_totals_now(void);

/* Writes the profile so far, as raw profile, to the file of that name; with NULL to PROGRAM-1.raw in the current folder, then
 * PROGRAM-2.raw ... `workspan report` and the other commands read it. The task dag, if it is recorded, goes beside it, to a file
 * that ends in .dag. What is under way counts up to this moment. The program goes on, and loses nothing of its own profile; for
 * the moment it has a child process, which does the writing. From any thread, not from a signal handler.
 * 0: written; WORKSPAN_NOT_PROFILED; else why it could not be, a number of errno. */
WORKSPAN_WEAK int workspan_dump(const char *path);

#undef WORKSPAN_WEAK

/* In a macro's own text its name is the function. */
#define workspan_active() (workspan_active ? workspan_active() : 0)
#define workspan_task_spawn(site) (workspan_task_spawn ? workspan_task_spawn(site) : (workspan_task *)0)
#define workspan_task_begin(task) (workspan_task_begin ? workspan_task_begin(task) : (void)(task))
#define workspan_task_end(task) (workspan_task_end ? workspan_task_end(task) : (void)(task))
#define workspan_sync() (workspan_sync ? workspan_sync() : (void)0)
#define workspan_scope_begin(site) (workspan_scope_begin ? workspan_scope_begin(site) : (void)0)
#define workspan_scope_end() (workspan_scope_end ? workspan_scope_end() : (void)0)
#define workspan_wait_begin() (workspan_wait_begin ? workspan_wait_begin() : (void)0)
#define workspan_wait_end() (workspan_wait_end ? workspan_wait_end() : (void)0)
#define workspan_loop_begin(site) (workspan_loop_begin ? workspan_loop_begin(site) : (workspan_loop *)0)
#define workspan_loop_piece_begin(loop) \
    (workspan_loop_piece_begin ? workspan_loop_piece_begin(loop) : (void)(loop))
#define workspan_loop_piece_end(loop) (workspan_loop_piece_end ? workspan_loop_piece_end(loop) : (void)(loop))
#define workspan_loop_end(loop) (workspan_loop_end ? workspan_loop_end(loop) : (void)(loop))
#define workspan_lock_acquire() (workspan_lock_acquire ? workspan_lock_acquire() : (void)0)
#define workspan_lock_acquired(lock, site) \
    (workspan_lock_acquired ? workspan_lock_acquired(lock, site) : (void)(lock))
#define workspan_lock_given_up() (workspan_lock_given_up ? workspan_lock_given_up() : (void)0)
#define workspan_lock_released(lock) (workspan_lock_released ? workspan_lock_released(lock) : (void)(lock))
#define workspan_lock_made(lock) (workspan_lock_made ? workspan_lock_made(lock) : (void)(lock))
#define workspan_region_begin_named(name, file, line) \
    (workspan_region_begin_named ? workspan_region_begin_named(name, file, line) : 0)
#define workspan_region_end(region) (workspan_region_end ? workspan_region_end(region) : (void)(region))
#define workspan_totals_now() (workspan_totals_now ? workspan_totals_now() : workspan_no_totals())
#define workspan_dump(path) (workspan_dump ? workspan_dump(path) : ((void)(path), WORKSPAN_NOT_PROFILED))

#else

#define workspan_active() 0
#define workspan_task_spawn(site) ((workspan_task *)0)
#define workspan_task_begin(task) ((void)(task))
#define workspan_task_end(task) ((void)(task))
#define workspan_sync() ((void)0)
#define workspan_scope_begin(site) ((void)0)
#define workspan_scope_end() ((void)0)
#define workspan_wait_begin() ((void)0)
#define workspan_wait_end() ((void)0)
#define workspan_loop_begin(site) ((workspan_loop *)0)
#define workspan_loop_piece_begin(loop) ((void)(loop))
#define workspan_loop_piece_end(loop) ((void)(loop))
#define workspan_loop_end(loop) ((void)(loop))
#define workspan_lock_acquire() ((void)0)
#define workspan_lock_acquired(lock, site) ((void)(lock))
#define workspan_lock_given_up() ((void)0)
#define workspan_lock_released(lock) ((void)(lock))
#define workspan_lock_made(lock) ((void)(lock))
#define workspan_region_begin_named(name, file, line) ((uint64_t)0)
#define workspan_region_end(region) ((void)(region))
#define workspan_totals_now() workspan_no_totals()
#define workspan_dump(path) ((void)(path), WORKSPAN_NOT_PROFILED)

#endif

static inline workspan_totals workspan_no_totals(void) {
    workspan_totals none = {0, 0, 0};
    return none;
}

/* The region of the calls between these, under a name. */
#define workspan_region_begin_here(name) workspan_region_begin_named(name, __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif

#endif
