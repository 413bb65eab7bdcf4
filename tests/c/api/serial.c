/* A serial program that tells what a parallel one would do, as Cilkview's runs are: regions, tasks, a block, a loop. */
#define _POSIX_C_SOURCE 200809L
#include "known.h"
#include <workspan.h>

static void task(double milliseconds) {
    workspan_task *spawned = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "task"));
    workspan_task_begin(spawned);
    spin(milliseconds);
    workspan_task_end(spawned);
}

/* Each level leaves its task to the block. */
static void below(int depth) {
    workspan_task *spawned;
    if (depth == 0) {
        return;
    }
    spawned = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "below"));
    workspan_task_begin(spawned);
    below(depth - 1);
    spin(5);
    workspan_task_end(spawned);
}

int main(void) {
    int i;
    workspan_loop *loop;
    uint64_t region = workspan_region_begin_here("tasks");
    /* 10, 20 and 30 beside 5: 30. */
    task(10);
    task(20);
    task(30);
    spin(5);
    workspan_sync();
    workspan_region_end(region);

    /* Three levels of 5, all parallel: 5. */
    workspan_scope_begin(WORKSPAN_SITE(WORKSPAN_SCOPE, NULL));
    below(3);
    workspan_scope_end();

    /* Eight pieces of 5: 5. */
    loop = workspan_loop_begin(WORKSPAN_SITE(WORKSPAN_LOOP, NULL));
    for (i = 0; i < 8; i++) {
        workspan_loop_piece_begin(loop);
        spin(5);
        workspan_loop_piece_end(loop);
    }
    workspan_loop_end(loop);
    goal(65 + 15 + 40, 30 + 5 + 5);
    return workspan_active() && workspan_totals_now().work < 100000000;
}
