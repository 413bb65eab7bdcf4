/* Base-band samples of the satellites in view, as a receiver would see them. For each sample, the contributions of
   twelve channels are summed.
   usage: satsim channels|blocks     blocks: the samples are shared out instead (fine) */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 12
#define CHIPS 1023
#define SAMPLES 3000000
#define BLOCK 4000
#define PATHS 3

struct channel {
    uint32_t carrier, carrier_step;
    uint32_t code_start, code_step;
    float gain[PATHS];
    uint32_t delay[PATHS];
    signed char chip[CHIPS];
};

static struct channel channels[CHANNELS];
static float sine[1024], cosine[1024];
static int16_t out[SAMPLES][2];

static void make_tables(void) {
    for (int k = 0; k < 1024; k++) {
        sine[k] = sinf(k * (float)(2 * M_PI / 1024));
        cosine[k] = cosf(k * (float)(2 * M_PI / 1024));
    }
}

/* A shift register's output stands for the code of a satellite. */
static void make_channel(struct channel *c, unsigned satellite) {
    unsigned bits = 0x3ff ^ (satellite * 37);
    for (int k = 0; k < CHIPS; k++) {
        c->chip[k] = bits & 1 ? 1 : -1;
        bits = bits >> 1 | ((bits ^ bits >> 3 ^ bits >> 7) & 1) << 9;
    }
    c->carrier = satellite * 0x1234567u;
    c->carrier_step = 6000000u + satellite * 70001u;
    c->code_start = satellite * 81173u;
    c->code_step = 1690000u + satellite * 11u;
    for (int path = 0; path < PATHS; path++) {
        c->gain[path] = 300.0f / (1 + path * path + satellite % 3);
        c->delay[path] = path * 3001u;
    }
}

/* What one channel adds to sample n: the direct path and two reflections. */
static float add_channel(const struct channel *c, uint32_t n, float *quadrature) {
    float i = 0, q = 0;
    for (int path = 0; path < PATHS; path++) {
        uint32_t phase = c->carrier + n * c->carrier_step - c->delay[path] * 977u;
        uint64_t code = ((uint64_t)n * c->code_step + c->code_start + c->delay[path]) >> 20;
        float amplitude = c->gain[path] * c->chip[code % CHIPS];
        i += amplitude * cosine[phase >> 22];
        q += amplitude * sine[phase >> 22];
    }
    *quadrature = q;
    return i;
}

static void quantise(uint32_t n, float i, float q) {
    out[n][0] = (int16_t)lrintf(i);
    out[n][1] = (int16_t)lrintf(q);
}

static void by_channels(void) {
    for (uint32_t n = 0; n < SAMPLES; n++) {
        float i = 0, q = 0;
#pragma omp parallel for reduction(+ : i, q)  //@ here
        for (int k = 0; k < CHANNELS; k++) {  //@ here
            float quadrature;
            i += add_channel(&channels[k], n, &quadrature);
            q += quadrature;
        }
        quantise(n, i, q);
    }
}

static void by_blocks(void) {
#pragma omp parallel for
    for (int block = 0; block < SAMPLES / BLOCK; block++) {
        for (uint32_t n = block * BLOCK; n < (uint32_t)(block + 1) * BLOCK; n++) {
            float i = 0, q = 0;
            for (int k = 0; k < CHANNELS; k++) {
                float quadrature;
                i += add_channel(&channels[k], n, &quadrature);
                q += quadrature;
            }
            quantise(n, i, q);
        }
    }
}

int main(int argc, char **argv) {
    make_tables();
    for (unsigned k = 0; k < CHANNELS; k++) make_channel(&channels[k], k + 1);
    if (argc > 1 && !strcmp(argv[1], "blocks"))
        by_blocks();
    else
        by_channels();
    long power = 0;
    for (int n = 0; n < SAMPLES; n += 7) power += labs(out[n][0]) + labs(out[n][1]);
    printf("%ld\n", power);
    return 0;
}
