/* Follows particles through a field and writes a line for each to a file.
   usage: log_lines each|buffer     buffer: lines are put together in a thread's own memory, 1000 a write (fine) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTICLES 1500000
#define GROUP 1000
#define LINE 128

struct particle {
    double x, y, energy;
};

static struct particle start(int number) {
    unsigned x = number * 2246822519u + 374761393u;
    x ^= x >> 15;
    x *= 2654435761u;
    x ^= x >> 13;
    struct particle p = {(x & 0xffff) / 65536.0, (x >> 16) / 65536.0, 1.0};
    return p;
}

/* Ten steps in a rotating field. */
static struct particle follow(struct particle p) {
    for (int step = 0; step < 10; step++) {
        double pull = 1 / (0.1 + p.x * p.x + p.y * p.y);
        double x = p.x - 0.02 * p.y * pull;
        p.y += 0.02 * p.x * pull;
        p.x = x;
        p.energy *= 1 - 0.01 * sqrt(pull);
    }
    return p;
}

static void write_each(FILE *file) {
#pragma omp parallel for schedule(static)
    for (int number = 0; number < PARTICLES; number++) {
        struct particle p = follow(start(number));
        fprintf(file, "%d %.8f %.8f %.8f\n", number, p.x, p.y, p.energy);  //@ here
    }
}

static void write_buffered(FILE *file) {
#pragma omp parallel
    {
        char *buffer = malloc(GROUP * LINE);
#pragma omp for schedule(dynamic)
        for (int group = 0; group < PARTICLES / GROUP; group++) {
            size_t used = 0;
            for (int number = group * GROUP; number < (group + 1) * GROUP; number++) {
                struct particle p = follow(start(number));
                used += snprintf(buffer + used, LINE, "%d %.8f %.8f %.8f\n", number, p.x, p.y, p.energy);
            }
            fwrite(buffer, 1, used, file);
        }
        free(buffer);
    }
}

static long count_lines(FILE *file) {
    static char block[1 << 16];
    long lines = 0;
    size_t got;
    rewind(file);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        for (char *at = block; (at = memchr(at, '\n', block + got - at)); at++) lines++;
    return lines;
}

int main(int argc, char **argv) {
    FILE *file = tmpfile();
    if (!file) return perror("log_lines"), 1;
    if (argc > 1 && !strcmp(argv[1], "buffer"))
        write_buffered(file);
    else
        write_each(file);
    printf("%ld lines\n", count_lines(file));
    fclose(file);
    return 0;
}
