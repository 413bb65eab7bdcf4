/* The macros of workspan/cilk.h, apart from its declarations: those are in a text that was preprocessed before. */
#ifndef WORKSPAN_CILK_MACROS_H
#define WORKSPAN_CILK_MACROS_H

/* Runs the function on the variable at the end of its block, however that is left. */
#define WORKSPAN_CILK_AT_END(function) __attribute__((unused, cleanup(function)))

#define WORKSPAN_CILK_FRAME(frame, file, line, column, name)                                                          \
    static const workspan_site frame##_site = {file, line, column, name, WORKSPAN_SCOPE};                             \
    WORKSPAN_CILK_AT_END(workspan_cilk_sync) workspan_cilk_frame frame = {&frame##_site, 0}

#define WORKSPAN_CILK_SYNC_AT_END(name, frame)                                                                        \
    WORKSPAN_CILK_AT_END(workspan_cilk_sync_at_end) workspan_cilk_frame *name = &frame

#define WORKSPAN_CILK_SPAWN(task, frame, file, line, column, name)                                                    \
    static const workspan_site task##_site = {file, line, column, name, WORKSPAN_TASK};                               \
    WORKSPAN_CILK_AT_END(workspan_cilk_end) workspan_cilk_task task = workspan_cilk_spawn(&frame, &task##_site, 1)

#define WORKSPAN_CILK_SPAWN_LATER(task, frame, file, line, column, name)                                              \
    static const workspan_site task##_site = {file, line, column, name, WORKSPAN_TASK};                               \
    WORKSPAN_CILK_AT_END(workspan_cilk_end) workspan_cilk_task task = workspan_cilk_spawn(&frame, &task##_site, 0)

#define WORKSPAN_CILK_LOOP(loop, grain, file, line, column, name)                                                     \
    static const workspan_site loop##_site = {file, line, column, name, WORKSPAN_LOOP};                               \
    WORKSPAN_CILK_AT_END(workspan_cilk_loop_end) workspan_cilk_loop loop = {&loop##_site, 0, (long long)(grain), 0, 0}

#define WORKSPAN_CILK_PIECE(loop, piece)                                                                              \
    WORKSPAN_CILK_AT_END(workspan_cilk_piece_end) workspan_cilk_loop *piece = workspan_cilk_piece_begin(&loop)

#endif
