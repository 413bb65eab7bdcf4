/* Blurs the planes of colour pictures, one after the other, several times with a separable kernel.
   usage: planes colours|rows     rows: rows of all planes are shared out (fine) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLOURS 3
#define HEIGHT 900
#define WIDTH 1400
#define RADIUS 8
#define PICTURES 8
#define PASSES 4

typedef float plane[HEIGHT][WIDTH];
static plane picture[COLOURS], between[COLOURS];
static float kernel[2 * RADIUS + 1];

static void make_kernel(float sigma) {
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += kernel[k + RADIUS] = expf(-k * k / (2 * sigma * sigma));
    for (int k = 0; k <= 2 * RADIUS; k++) kernel[k] /= sum;
}

/* Stands for decoding a picture. */
static void load(unsigned number) {
    unsigned x = number * 2654435761u + 1;
    for (int c = 0; c < COLOURS; c++)
        for (int y = 0; y < HEIGHT; y++)
            for (int at = 0; at < WIDTH; at++) {
                x = x * 1664525u + 1013904223u;
                picture[c][y][at] = (x >> 24) * (1 / 255.0f);
            }
}

static int clamp(int at, int end) { return at < 0 ? 0 : at >= end ? end - 1 : at; }

static void blur_along(int colour, int y) {
    const float *from = picture[colour][y];
    float *to = between[colour][y];
    for (int at = 0; at < WIDTH; at++) {
        float sum = 0;
        if (at >= RADIUS && at < WIDTH - RADIUS)
            for (int k = -RADIUS; k <= RADIUS; k++) sum += kernel[k + RADIUS] * from[at + k];
        else
            for (int k = -RADIUS; k <= RADIUS; k++) sum += kernel[k + RADIUS] * from[clamp(at + k, WIDTH)];
        to[at] = sum;
    }
}

static void blur_across(int colour, int y) {
    float *to = picture[colour][y];
    memset(to, 0, sizeof picture[colour][y]);
    for (int k = -RADIUS; k <= RADIUS; k++) {
        const float *from = between[colour][clamp(y + k, HEIGHT)];
        for (int at = 0; at < WIDTH; at++) to[at] += kernel[k + RADIUS] * from[at];
    }
}

static void blur_colours(void) {
#pragma omp parallel for                                    //@ here
    for (int colour = 0; colour < COLOURS; colour++) {      //@ here
        for (int y = 0; y < HEIGHT; y++) blur_along(colour, y);
        for (int y = 0; y < HEIGHT; y++) blur_across(colour, y);
    }
}

static void blur_rows(void) {
#pragma omp parallel for collapse(2)
    for (int colour = 0; colour < COLOURS; colour++)
        for (int y = 0; y < HEIGHT; y++) blur_along(colour, y);
#pragma omp parallel for collapse(2)
    for (int colour = 0; colour < COLOURS; colour++)
        for (int y = 0; y < HEIGHT; y++) blur_across(colour, y);
}

int main(int argc, char **argv) {
    int rows = argc > 1 && !strcmp(argv[1], "rows");
    double sum = 0;
    make_kernel(3.5f);
    for (unsigned number = 0; number < PICTURES; number++) {
        load(number);
        for (int pass = 0; pass < PASSES; pass++)
            if (rows)
                blur_rows();
            else
                blur_colours();
        for (int colour = 0; colour < COLOURS; colour++) sum += picture[colour][HEIGHT / 2][WIDTH / 3 + number];
    }
    printf("%.6f\n", sum);
    return 0;
}
