// What a task of OpenMP costs, for `ci/costs`: as crates/workspan-testkit/src/bin/costs.rs, without
// allocations.
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { CONSTRUCTS = 1 << 12 };

static const uint64_t ANNOUNCEMENT = 0x57534e31, QUESTION = 0x776f726b7370616e;
static const volatile long *counter;

__attribute__((noinline)) static long instructions(void) { return *counter; }

__attribute__((noinline)) static void tasks(int number) {
    for (int made = 0; made < number; made++) {
#pragma omp task
        __asm__ volatile("");
    }
#pragma omp taskwait
}

static long cost(int size) {
    long before = instructions();
    tasks(size * CONSTRUCTS);
    return instructions() - before;
}

int main(void) {
#pragma omp parallel num_threads(1)
    {
        volatile uint64_t answer = QUESTION;
        syscall(ANNOUNCEMENT, &answer, QUESTION);
        if (answer != QUESTION) {
            counter = (const volatile long *)answer;
            // What the first runs allocate and find out stays.
            for (int run = 0; run < 2; run++) {
                cost(2);
                cost(1);
            }
            long one = cost(1), two = cost(2);
            printf("task %d %ld\n", CONSTRUCTS, two - one);
        }
    }
    return 0;
}
