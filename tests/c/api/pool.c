/* A home-made pool: two threads take tasks off a list; a task spawns others, and its thread runs tasks while it waits. */
#define _POSIX_C_SOURCE 200809L
#include "known.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <workspan.h>

struct job {
    struct job *next;
    workspan_task *told;
    int depth;
    atomic_int *left; /* of the tasks that its spawner awaits */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static atomic_int is_over;

static void spawn(int depth, atomic_int *left) {
    struct job *job = malloc(sizeof *job);
    job->told = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "spawn"));
    job->depth = depth;
    job->left = left;
    pthread_mutex_lock(&lock);
    job->next = jobs;
    jobs = job;
    pthread_mutex_unlock(&lock);
}

static void run(struct job *job);

static int run_any(void) {
    struct job *job;
    pthread_mutex_lock(&lock);
    job = jobs;
    if (job) {
        jobs = job->next;
    }
    pthread_mutex_unlock(&lock);
    if (job) {
        run(job);
    }
    return job != NULL;
}

static void await(atomic_int *left) {
    workspan_wait_begin();
    while (atomic_load(left) > 0) {
        run_any();
    }
    workspan_wait_end();
    workspan_sync();
}

static void tree(int depth) {
    atomic_int left = 2;
    spin(5);
    if (depth == 0) {
        return;
    }
    spawn(depth - 1, &left);
    spawn(depth - 1, &left);
    await(&left);
}

static void run(struct job *job) {
    workspan_task_begin(job->told);
    tree(job->depth);
    workspan_task_end(job->told);
    atomic_fetch_sub(job->left, 1);
    free(job);
}

static void *work(void *nothing) {
    /* The thread is the pool's: what it does between tasks is nobody's work. */
    workspan_wait_begin();
    while (!atomic_load(&is_over)) {
        run_any();
    }
    workspan_wait_end();
    return nothing;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    tree(2);
    atomic_store(&is_over, 1);
    pthread_join(other, NULL);
    /* 1 + 2 + 4 nodes, three deep. */
    goal(7 * 5, 3 * 5);
    return 0;
}
