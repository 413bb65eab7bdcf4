// A program that prints where its parallel regions begin, and divides the work of some of them.
#include <omp.h>
#include <stdio.h>
#include <string.h>

double results[64];
static const char *name;

// Takes the place of the runtime's function: one thread executes the region.
void GOMP_parallel(void (*part)(void *), void *data, unsigned threads, unsigned flags) {
    printf("address %s %lx\n", name, (unsigned long)__builtin_return_address(0));
    part(data);
}

__attribute__((noinline)) static void of_all(int n) {
#pragma omp for
    for (int i = 0; i < n; i++)
        results[i] += i;
}

int main(int argc, char **argv) {
    name = "static";
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
        results[i] = argc;
    name = "chunks";
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < 64; i++)
        results[i] *= 2;
    name = "collapse";
    double sum = 0;
#pragma omp parallel for collapse(2) reduction(+ : sum)
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            sum += results[8 * i + j];
    name = "by_hand";
#pragma omp parallel
    for (int i = omp_get_thread_num(); i < 64; i += omp_get_num_threads())
        results[i] += i;
    name = "all";
#pragma omp parallel
    for (int i = 0; i < 64; i++)
        results[i] += sum;
    name = "number";
#pragma omp parallel
    results[omp_get_thread_num()] += 1;
    name = "called";
#pragma omp parallel
    of_all(argc);
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end, offset;
        char permissions[8], path[4096] = "";
        sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, permissions, &offset, path);
        if (strchr(permissions, 'x') && path[0] == '/')
            printf("module %lx %lx %lx %s\n", start, end, offset, path);
    }
    return results[1] < 0;
}
