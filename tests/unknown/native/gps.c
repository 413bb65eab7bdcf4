/* usage: gps bad|good [SAMPLES]
 * Baseband signal generator: one output sample is the sum over the visible
 * satellites.  The team works on the satellites of each sample, or on the
 * samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define NCHAN 16
#define TAPS 24
#define NSAMP 300000

typedef struct {
    double code_phase, code_step, carr_phase, carr_step, gain;
    signed char chip[1024];
} channel;

static channel chan[NCHAN];
static short sin_tab[512], cos_tab[512];
static short *iq;

static void add_channel(const channel *c, int n, int *i_out, int *q_out)
{
    int ia = 0, qa = 0;
    double cp = c->code_phase + n * c->code_step;
    double ph = c->carr_phase + n * c->carr_step;
    for (int t = 0; t < TAPS; t++) {            /* multipath taps */
        unsigned k = (unsigned)(cp - t * 0.37 + 65536.0) & 1023;
        unsigned a = (unsigned)((ph + t * 0.011) * 512.0) & 511;
        ia += c->chip[k] * cos_tab[a] >> (t & 7);
        qa += c->chip[k] * sin_tab[a] >> (t & 7);
    }
    *i_out += (int)(ia * c->gain);
    *q_out += (int)(qa * c->gain);
}

static void store(int n, int i_acc, int q_acc)
{
    iq[2 * n] = (short)(i_acc >> 4);
    iq[2 * n + 1] = (short)(q_acc >> 4);
}

int main(int argc, char **argv)
{
    int good = argc > 1 && !strcmp(argv[1], "good");
    int nsamp = argc > 2 ? atoi(argv[2]) : NSAMP;
    unsigned s = 12345;
    for (int i = 0; i < 512; i++) {
        sin_tab[i] = (short)(250 * sin(i * 2 * M_PI / 512));
        cos_tab[i] = (short)(250 * cos(i * 2 * M_PI / 512));
    }
    for (int c = 0; c < NCHAN; c++) {
        chan[c].code_phase = c * 61.0;
        chan[c].code_step = 0.3937 + c * 1e-5;
        chan[c].carr_phase = c * 0.1;
        chan[c].carr_step = 0.0021 * (c + 1);
        chan[c].gain = 1.0 / (1 + c % 3);
        for (int k = 0; k < 1024; k++) {
            s = s * 1664525u + 1013904223u;
            chan[c].chip[k] = (s >> 31) ? 1 : -1;
        }
    }
    iq = malloc(sizeof(short) * 2 * (size_t)nsamp);

    if (good) {
        #pragma omp parallel for schedule(static)
        for (int n = 0; n < nsamp; n++) {
            int i_acc = 0, q_acc = 0;
            for (int c = 0; c < NCHAN; c++)
                add_channel(&chan[c], n, &i_acc, &q_acc);
            store(n, i_acc, q_acc);
        }
    } else {
        for (int n = 0; n < nsamp; n++) {
            int i_acc = 0, q_acc = 0;
            #pragma omp parallel for reduction(+:i_acc, q_acc)  //@ here
            for (int c = 0; c < NCHAN; c++)
                add_channel(&chan[c], n, &i_acc, &q_acc);
            store(n, i_acc, q_acc);
        }
    }

    long sum = 0;
    for (int n = 0; n < 2 * nsamp; n++)
        sum += iq[n] * (n % 7);
    printf("checksum %ld\n", sum);
    free(iq);
    return 0;
}
