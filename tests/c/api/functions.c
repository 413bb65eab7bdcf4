/* Functions that tell of their calls: tasks, recursion, inlining, exits that are missing. A line `calls NAME COUNT` says how
 * often a function was called, `most NAME WORK` what its calls from one place have of work at most, in milliseconds, and `least
 * NAME WORK` at least. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>
static double milliseconds_run(void) __attribute__((no_instrument_function));
static void spin(double milliseconds) __attribute__((no_instrument_function));
static void goal(double work, double span) __attribute__((no_instrument_function));
#include "known.h"
#include <pthread.h>
#include <setjmp.h>
#include <workspan.h>

#define APART __attribute__((noinline))

APART static void leaf(double milliseconds) { spin(milliseconds); }

APART static int fib(int n) {
    workspan_task *left;
    int a, b;
    if (n < 2) {
        leaf(1);
        return n;
    }
    left = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "fib"));
    workspan_task_begin(left);
    a = fib(n - 1);
    workspan_task_end(left);
    b = fib(n - 2);
    workspan_sync();
    return a + b;
}

/* Follows calls that are not to be the last of their function, which a compiler may make without a return. */
static volatile int calls_made;

static jmp_buf outside;
static volatile int jumps = 1;

/* Leaves all its calls without an exit. */
APART static void jump(int deep) {
    if (deep > 0) {
        jump(deep - 1);
    } else if (jumps) {
        longjmp(outside, 1);
    }
    spin(0);
}

APART static void after_jump(void) {
    leaf(10);
    ++calls_made;
}

static inline __attribute__((always_inline)) void inlined(void) { leaf(5); }

APART static void around_inlined(void) {
    inlined();
    inlined();
    ++calls_made;
}

/* Calls its callee last of all. */
APART static void calls_last(void (*call)(double)) { call(1); }

static void *run(void *nothing) {
    leaf(5);
    return nothing;
}

int main(void) {
    pthread_t thread;
    volatile int i;
    const int result = fib(5);
    for (i = 0; i < 3; i++) {
        if (setjmp(outside) == 0) {
            jump(4);
        }
        after_jump();
    }
    around_inlined();
    for (i = 0; i < 4; i++) {
        calls_last(leaf);
    }
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("calls fib 15\ncalls leaf 18\ncalls jump 15\ncalls after_jump 3\ncalls around_inlined 1\ncalls calls_last 4\n");
    printf("calls run 1\n");
    printf("hooked calls inlined 2\n");
    printf("least fib 8\nmost fib 12\nleast after_jump 29\nmost jump 3\nleast around_inlined 9\nmost around_inlined 14\n");
    printf("most calls_last 8\nhooked least inlined 4.5\n");
    goal(8 + 30 + 10 + 4 + 5, 1 + 30 + 10 + 4 + 5);
    return result != 5;
}
