/* Calls that do not fit: reported with both places, and the rest of the profile is what it should be. A comment says what is
 * told of the line, as a regular expression. */
#define _POSIX_C_SOURCE 200809L
#include "known.h"
#include <pthread.h>
#include <workspan.h>

static workspan_loop *volatile loop;
static volatile int is_ended, is_begun;

/* Runs a piece of the loop while that ends. */
static void *run_piece(void *nothing) {
    workspan_wait_begin();
    while (loop == NULL && workspan_active()) {
    }
    workspan_loop_piece_begin(loop);
    is_begun = 1;
    while (!is_ended) {
        spin(0.1);
    }
    workspan_loop_piece_end(loop);
    workspan_wait_end();
    return nothing;
}

static workspan_task *spawn(const char *unused) {
    (void)unused;
    return workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "spawn"));
}

int main(void) {
    pthread_t other;
    workspan_task *outer = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "outer"));
    workspan_task *inner;
    workspan_task_begin(outer);
    inner = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "inner"));
    workspan_task_begin(inner);
    workspan_task_begin(inner); /* SAID mismatched.c:36, which the thread runs, begins .*mismatched.c:36: it is left out */
    spin(10);
    /* The inner one has not ended: it ends here, too. */
    workspan_task_end(outer); /* SAID task of .*mismatched.c:33 ends .* task of .*mismatched.c:36: that ends, too */
    workspan_task_end(inner); /* SAID mismatched.c:36, which has ended before, ends .* in nothing: it is left out */
    workspan_sync();
    workspan_wait_end(); /* SAID a wait ends on a thread that is in nothing */
    spin(10);

    /* A block ends in a task that was begun in it. */
    workspan_scope_begin(WORKSPAN_SITE(WORKSPAN_SCOPE, NULL));
    inner = spawn("");
    workspan_task_begin(inner);
    spin(5);
    workspan_scope_end(); /* SAID the block of .*mismatched.c:48 ends .* in the task of .*mismatched.c:28: that ends, too */
    workspan_scope_end(); /* SAID a block ends on a thread that is in nothing */

    /* A loop ends while this thread runs a piece of it, and again. */
    loop = workspan_loop_begin(WORKSPAN_SITE(WORKSPAN_LOOP, NULL));
    workspan_loop_piece_begin(loop);
    spin(5);
    workspan_loop_end(loop); /* SAID the loop of .*mismatched.c:56 ends .* in a piece of the loop of .*mismatched.c:56: that */
    workspan_loop_piece_end(loop); /* SAID a piece of the loop of .*mismatched.c:56 ends .* in nothing */
    workspan_loop_piece_begin(loop); /* SAID mismatched.c:56, which has ended, begins */
    workspan_loop_end(loop); /* SAID mismatched.c:56, which has ended before, ends */

    /* And while another thread does. */
    loop = NULL;
    pthread_create(&other, NULL, run_piece, NULL);
    loop = workspan_loop_begin(WORKSPAN_SITE(WORKSPAN_LOOP, NULL));
    while (!is_begun) {
    }
    workspan_loop_end(loop); /* SAID mismatched.c:67, of which another thread runs a piece, ends */
    is_ended = 1;
    pthread_join(other, NULL);
    spin(10);
    /* Nobody has waited for the first inner one: only the end of the program does. */
    goal(40, 30);
    return 0;
}
