/* Programs of OpenMP that profiling must not change: `openmp NAME`. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static long some(void) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < 200000; i++)
        sum += i * i % 7;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 50; i++)
#pragma omp task shared(sum)
    {
#pragma omp atomic
        sum += i;
    }
    return sum;
}

static long at_end;
static void last(void) {
    printf("atexit %ld\n", some() + at_end);
}

static void *waits(void *nothing) {
    struct timespec pause = {0, 30000000};
    nanosleep(&pause, NULL);
    return nothing;
}

static void *forever(void *nothing) {
    for (;;)
        pause();
    return nothing;
}

static void joins(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, waits, &thread);
    int busy = pthread_tryjoin_np(thread, &result);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000)
        until.tv_sec++, until.tv_nsec -= 1000000000;
    int late = pthread_timedjoin_np(thread, &result, &until);
    until.tv_sec += 5;
    int joined = pthread_timedjoin_np(thread, &result, &until);
    printf("%s, %s, %d %d\n", busy == EBUSY ? "busy" : "?", late == ETIMEDOUT ? "late" : "?", joined, result == &thread);
    pthread_create(&thread, NULL, forever, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("canceled %d\n", result == PTHREAD_CANCELED);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_detach(thread);
}

static sigjmp_buf back;
static void jumps(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

static ucontext_t outside, inside;
static void coroutine(void) {
    for (int i = 0; i < 100; i++) {
        some();
        swapcontext(&inside, &outside);
    }
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "work";
    if (!strcmp(name, "work")) {
        printf("%ld\n", some());
    } else if (!strcmp(name, "exit")) {
        some();
        exit(3);
    } else if (!strcmp(name, "quick-exit")) {
        some();
        quick_exit(4);
    } else if (!strcmp(name, "abort")) {
        some();
        abort();
    } else if (!strcmp(name, "atexit")) {
        atexit(last);
        printf("%ld\n", some());
    } else if (!strcmp(name, "joins")) {
        printf("%ld\n", some());
        joins();
    } else if (!strcmp(name, "fork")) {
        some();
        for (int i = 0; i < 5; i++) {
            fflush(stdout);
            pid_t child = fork();
            if (child == 0)
                exit(i);
            int status;
            waitpid(child, &status, 0);
            printf("child %d\n", WEXITSTATUS(status));
        }
        printf("%ld\n", some());
    } else if (!strcmp(name, "close-all")) {
        some();
        for (int i = 3; i < 1000; i++)
            close(i);
        FILE *files[3] = {fopen("a", "w"), fopen("b", "w"), fopen("c", "w")};
        int errors = 0;
        for (int round = 0; round < 20; round++)
            for (int i = 0; i < 3; i++)
                errors += fprintf(files[i], "%d %ld\n", round, some()) < 0;
        for (int i = 0; i < 3; i++)
            errors += fclose(files[i]) != 0;
        return errors;
    } else if (!strcmp(name, "jump")) {
        signal(SIGSEGV, jumps);
        if (sigsetjmp(back, 1) == 0) {
            some();
            *(volatile int *)8 = 1;
        }
        printf("back %ld\n", some());
    } else if (!strcmp(name, "coroutine")) {
        static char stack[256 << 10];
        getcontext(&inside);
        inside.uc_stack.ss_sp = stack;
        inside.uc_stack.ss_size = sizeof stack;
        inside.uc_link = &outside;
        makecontext(&inside, coroutine, 0);
        for (int i = 0; i < 100; i++)
            swapcontext(&outside, &inside);
        printf("%ld\n", some());
    } else if (!strcmp(name, "raise")) {
        printf("%ld\n", some());
        fflush(stdout);
        kill(getpid(), atoi(arguments[2]));
        sleep(5);
    } else if (!strcmp(name, "raise-at-once")) {
        printf("%ld\n", some());
        fflush(stdout);
        raise(atoi(arguments[2]));
        puts("still there");
    } else if (!strcmp(name, "exec")) {
        some();
        execl("/bin/sh", "sh", "-c", "echo another; exit 9", (char *)NULL);
    } else if (!strcmp(name, "environment")) {
        some();
        return system("env | sort");
    } else if (!strcmp(name, "parent")) {
        /* What a library loaded before gives is 4242. */
        printf("%d %ld\n", getppid() == 4242, some());
    } else {
        return 99;
    }
    return 0;
}
