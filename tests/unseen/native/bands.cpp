// Two substances react and spread on a ring-shaped grid; each thread has a band of rows and they meet at a
// pthread barrier in each step. A step takes far longer than a barrier: sound.
// usage: bands two|one     two: barriers after the step and after the exchange; one: the grids change places by
// the step's parity, so that one barrier does (as sound)
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <utility>
#include <vector>

static const int ROWS = 480, COLUMNS = 512, STEPS = 1000;

struct Grid {
    std::vector<float> u, v;
    Grid() : u(ROWS * COLUMNS, 1.0f), v(ROWS * COLUMNS, 0.0f) {}
};

static Grid grids[2];
static Grid *now = &grids[0], *later = &grids[1];
static pthread_barrier_t barrier;
static int threads;
static bool one_barrier;

static void seed(Grid &grid) {
    for (int y = ROWS / 2 - 30; y < ROWS / 2 + 30; y++)
        for (int x = COLUMNS / 2 - 30; x < COLUMNS / 2 + 30; x++) {
            grid.u[y * COLUMNS + x] = 0.5f;
            grid.v[y * COLUMNS + x] = 0.25f + 0.01f * ((x * 7 + y * 13) % 5);
        }
}

static float spread(const float *above, const float *row, const float *below, int x, int left, int right) {
    return 0.2f * (above[x] + below[x] + row[left] + row[right]) +
           0.05f * (above[left] + above[right] + below[left] + below[right]) - row[x];
}

static void step_row(const Grid &from, Grid &to, int y) {
    int above = (y + ROWS - 1) % ROWS * COLUMNS, row = y * COLUMNS, below = (y + 1) % ROWS * COLUMNS;
    for (int x = 0; x < COLUMNS; x++) {
        int left = x ? x - 1 : COLUMNS - 1, right = x + 1 < COLUMNS ? x + 1 : 0;
        float u = from.u[row + x], v = from.v[row + x], reaction = u * v * v;
        to.u[row + x] = u + spread(&from.u[above], &from.u[row], &from.u[below], x, left, right) - reaction +
                        0.0545f * (1 - u);
        to.v[row + x] = v + 0.5f * spread(&from.v[above], &from.v[row], &from.v[below], x, left, right) + reaction -
                        0.1165f * v;
    }
}

static void *run_band(void *argument) {
    long thread = (long)argument;
    int from = ROWS * thread / threads, to = ROWS * (thread + 1) / threads;
    for (int step = 0; step < STEPS; step++) {
        if (one_barrier) {
            for (int y = from; y < to; y++)
                step_row(grids[step % 2], grids[(step + 1) % 2], y);
            pthread_barrier_wait(&barrier);
        } else {
            for (int y = from; y < to; y++)
                step_row(*now, *later, y);
            pthread_barrier_wait(&barrier);
            if (thread == 0)
                std::swap(now, later);
            pthread_barrier_wait(&barrier);
        }
    }
    return nullptr;
}

int main(int argc, char **argv) {
    one_barrier = argc > 1 && !strcmp(argv[1], "one");
    threads = getenv("NT") ? atoi(getenv("NT")) : std::thread::hardware_concurrency();
    seed(grids[0]);
    pthread_barrier_init(&barrier, nullptr, threads);
    std::vector<pthread_t> started(threads);
    for (long thread = 0; thread < threads; thread++)
        pthread_create(&started[thread], nullptr, run_band, (void *)thread);
    for (pthread_t &thread : started)
        pthread_join(thread, nullptr);
    pthread_barrier_destroy(&barrier);
    double sum = 0;
    for (float v : grids[STEPS % 2].v)
        sum += v;
    printf("%.3f\n", sum);
}
