/* Two threads that compute beside one another, and store under one lock, each of two under a lock of its own, and again where
 * that was. */
#define _POSIX_C_SOURCE 200809L
#include "known.h"
#include <pthread.h>
#include <workspan.h>

struct locks {
    pthread_mutex_t all, own[2];
};

static struct locks locks = {PTHREAD_MUTEX_INITIALIZER, {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};

static void hold(pthread_mutex_t *lock, const workspan_site *site, double milliseconds) {
    (void)site;
    workspan_lock_acquire();
    pthread_mutex_lock(lock);
    workspan_lock_acquired(lock, site);
    spin(milliseconds);
    workspan_lock_released(lock);
    pthread_mutex_unlock(lock);
}

static workspan_task *tasks[2];

static void run(int number) {
    workspan_task_begin(tasks[number]);
    spin(10);
    hold(&locks.all, WORKSPAN_SITE(WORKSPAN_LOCK, "all"), 20);
    hold(&locks.own[number], WORKSPAN_SITE(WORKSPAN_LOCK, "own"), 10);
    workspan_lock_made(&locks.own[number]);
    hold(&locks.own[number], WORKSPAN_SITE(WORKSPAN_LOCK, "own"), 5);
    /* One that is not got. */
    workspan_lock_acquire();
    workspan_lock_given_up();
    workspan_task_end(tasks[number]);
}

static pthread_barrier_t are_spawned, have_ended;

static void *work(void *nothing) {
    /* The thread is a pool's: what it does between tasks is nobody's work. */
    workspan_wait_begin();
    pthread_barrier_wait(&are_spawned);
    run(1);
    pthread_barrier_wait(&have_ended);
    workspan_wait_end();
    return nothing;
}

int main(void) {
    pthread_t other;
    int number;
    pthread_barrier_init(&are_spawned, NULL, 2);
    pthread_barrier_init(&have_ended, NULL, 2);
    pthread_create(&other, NULL, work, NULL);
    for (number = 0; number < 2; number++) {
        tasks[number] = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "piece"));
    }
    pthread_barrier_wait(&are_spawned);
    workspan_wait_begin();
    run(0);
    pthread_barrier_wait(&have_ended);
    workspan_wait_end();
    workspan_sync();
    pthread_join(other, NULL);
    goal(2 * 45, 45);
    /* Milliseconds under each lock, and how often it was acquired. */
    printf("lock 40 2\nlock 10 1\nlock 10 1\nlock 5 1\nlock 5 1\n");
    return 0;
}
