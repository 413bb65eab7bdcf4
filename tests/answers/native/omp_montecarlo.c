/* Monte Carlo price of a European call, the samples in parallel.
   usage: omp_montecarlo rand|own     own: a generator for each sample (fine) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 2500000
#define STEPS 4

static int own;
static __thread unsigned seed;

static double uniform(void)
{
    if (own)
        return (rand_r(&seed) + 1.0) / (RAND_MAX + 2.0);
    return (rand() + 1.0) / (RAND_MAX + 2.0); //@ here
}

static double gaussian(void)
{
    double u = uniform(), v = uniform();
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static double sample_payoff(double spot, double strike, double rate, double vol)
{
    double dt = 1.0 / STEPS, price = spot;
    for (int s = 0; s < STEPS; s++)
        price *= exp((rate - 0.5 * vol * vol) * dt + vol * sqrt(dt) * gaussian());
    return price > strike ? price - strike : 0.0;
}

int main(int argc, char **argv)
{
    double sum = 0.0;
    own = argc > 1 && !strcmp(argv[1], "own");
    if (own) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 2 * SAMPLES; i++) {
            seed = i * 2654435761u;
            sum += sample_payoff(100.0, 105.0, 0.05, 0.2) / 2;
        }
        printf("price %.1f\n", exp(-0.05) * sum / SAMPLES);
        return 0;
    }
    srand(12345);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < SAMPLES; i++) //@ here
        sum += sample_payoff(100.0, 105.0, 0.05, 0.2); //@ here
    printf("price %.1f\n", exp(-0.05) * sum / SAMPLES);
    return 0;
}
