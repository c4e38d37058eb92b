/* How much released values speak against the baseline: likelihood ratios of Dirichlet priors c P, c = 1, 2, 4, ...
 * safe_release/statistics/likelihood_ratios.py says what they mean, and has the same functions with the same names. */

#ifndef DIVULGE_LIKELIHOOD_RATIOS
#define DIVULGE_LIKELIHOOD_RATIOS

#include "loops.h"

#define PRIORS 15
#define HALF_LOG_TWO_PI 0.91893853320467274178
#define FAR_ENOUGH 8.0 /* from here on the series has all digits */

static inline double concentration(int64_t prior) { return (double)((int64_t)1 << prior); }

/* The logarithm of the gamma function, for z above 0, by Stirling's series. */
static inline double log_gamma(double z)
{
    static const double terms[] = {1.0 / 12,   1.0 / 360,  1.0 / 1260,
                                   1.0 / 1680, 1.0 / 1188, 691.0 / 360360};
    double product = 1.0, series = 0.0;
    while (z < FAR_ENOUGH) {
        product *= z;
        z += 1.0;
    }
    double inverse = 1.0 / (z * z);
    for (int place = 5; place >= 0; place--)
        series = terms[place] - inverse * series;
    double found = (z - 0.5) * log(z) - z + HALF_LOG_TWO_PI + series / z;
    return product == 1.0 ? found : found - log(product);
}

/* The logarithm of whole (whole - 1) ... over as many factors as were taken; -inf beyond the whole. */
static inline double log_falling(double whole, double taken)
{
    return taken > whole ? -INFINITY : log_gamma(whole + 1.0) - log_gamma(whole - taken + 1.0);
}

/* The logarithm of the mean of ratios given by their logarithms. */
static inline double mixed(const double *parts, int64_t number)
{
    double most = -INFINITY, total = 0.0;
    for (int64_t place = 0; place < number; place++)
        if (parts[place] > most)
            most = parts[place];
    if (most == INFINITY)
        return INFINITY;
    for (int64_t place = 0; place < number; place++)
        total += exp(parts[place] - most);
    return most + log(total / (double)number);
}

/* The ratios of all priors after one more record of a value. */
static inline void stepped(double *parts, double share, double expected, int64_t here, int64_t records)
{
    for (int64_t prior = 0; prior < PRIORS; prior++) {
        double c = concentration(prior);
        if (expected > 0)
            parts[prior] += log((c * share + (double)here) / ((c + (double)records) * expected));
        else
            parts[prior] = INFINITY;
    }
}

#endif
