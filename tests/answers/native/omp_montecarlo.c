/* Monte Carlo price of a European call, the samples in parallel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 2500000
#define STEPS 4

static double uniform(void)
{
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

int main(void)
{
    double sum = 0.0;
    srand(12345);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < SAMPLES; i++) //@ here
        sum += sample_payoff(100.0, 105.0, 0.05, 0.2); //@ here
    printf("price %.1f\n", exp(-0.05) * sum / SAMPLES);
    return 0;
}
