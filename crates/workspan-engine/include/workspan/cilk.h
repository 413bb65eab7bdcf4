/* What the output of `workspan cilk2c` calls: the boundaries of strands of a Cilk program that runs in order on one
 * thread, told to workspan by its C API. For C11 and C++17, by gcc and clang.
 *
 * A frame is what a sync awaits: the tasks of one execution of a function, of cilk_scope or of an iteration. It tells
 * nothing until something is spawned in it, so functions that end before that cost nothing. */
#ifndef WORKSPAN_CILK_H
#define WORKSPAN_CILK_H

#include <workspan.h>

typedef struct workspan_cilk_frame {
    const workspan_site *site;
    int is_open;
} workspan_cilk_frame;

typedef struct workspan_cilk_task {
    workspan_cilk_frame *frame;
    const workspan_site *site;
    workspan_task *task;
    int is_running;
} workspan_cilk_task;

typedef struct workspan_cilk_loop {
    const workspan_site *site;
    workspan_loop *loop;
    long long grain;
    /* Iterations of the present piece. */
    long long iterations;
    int is_open;
} workspan_cilk_loop;

static inline void workspan_cilk_sync(workspan_cilk_frame *frame) {
    if (frame->is_open) {
        frame->is_open = 0;
        workspan_scope_end();
    }
}

static inline void workspan_cilk_sync_at_end(workspan_cilk_frame **frame) {
    workspan_cilk_sync(*frame);
}

static inline void workspan_cilk_begin(workspan_cilk_task *task) {
    if (!task->frame->is_open) {
        task->frame->is_open = 1;
        workspan_scope_begin(task->frame->site);
    }
    task->task = workspan_task_spawn(task->site);
    task->is_running = 1;
    workspan_task_begin(task->task);
}

static inline void workspan_cilk_end(workspan_cilk_task *task) {
    if (task->is_running) {
        task->is_running = 0;
        workspan_task_end(task->task);
    }
}

static inline workspan_cilk_task workspan_cilk_spawn(workspan_cilk_frame *frame, const workspan_site *site,
                                                     int is_begun) {
    workspan_cilk_task task = {frame, site, 0, 0};
    if (is_begun)
        workspan_cilk_begin(&task);
    return task;
}

/* The loop begins with its first iteration: what its control needs before is the spawner's. */
static inline workspan_cilk_loop *workspan_cilk_piece_begin(workspan_cilk_loop *loop) {
    if (!loop->is_open) {
        loop->is_open = 1;
        loop->loop = workspan_loop_begin(loop->site);
    }
    if (loop->iterations == 0)
        workspan_loop_piece_begin(loop->loop);
    return loop;
}

static inline void workspan_cilk_piece_end(workspan_cilk_loop **loop) {
    if (++(*loop)->iterations >= (*loop)->grain) {
        (*loop)->iterations = 0;
        workspan_loop_piece_end((*loop)->loop);
    }
}

static inline void workspan_cilk_loop_end(workspan_cilk_loop *loop) {
    if (loop->iterations != 0)
        workspan_loop_piece_end(loop->loop);
    if (loop->is_open)
        workspan_loop_end(loop->loop);
}

#ifdef __cplusplus
/* Runs the call of a task whose arguments had to be computed before: by now they are. */
template <typename Call, typename... Arguments>
decltype(auto) workspan_cilk_call(workspan_cilk_task &task, Call &&call, Arguments &&...arguments) {
    workspan_cilk_begin(&task);
    return static_cast<Call &&>(call)(static_cast<Arguments &&>(arguments)...);
}
#endif

#include <workspan/cilk_macros.h>

#endif
