/* What chance gives for mutual information: its mean over all ways to deal targets to classes of the same sizes. */

#include "loops.h"

#define NOTHING 1e-20 /* probability, as a share of the likeliest count's, from which on counts add nothing */
#define WIDE 16.0 /* standard deviations from which on a sum over counts is taken in steps */
#define REACH 9.0 /* standard deviations from the mean beyond which a count is all but impossible */
#define NEXT 0x1p-55 /* share of a sum below which what is added to it is rounded off */
#define STEPS 1.4 /* steps in a standard deviation; with as many the sum is exact to all digits */

static double larger(double a, double b) { return a > b ? a : b; }

/* x ln(x / mean) - x + mean, to all digits also where x is near the mean. */
static double deviance(double x, double mean)
{
    double m = (mean - x) / x;
    if (fabs(m) > 0.1)
        return x * (m - log1p(m));
    double power = m * m, total = 0.0;
    for (int k = 2; k < 18 && fabs(power) > NEXT * total; k++, power *= -m)
        total += power / k;
    return x * total;
}

/* What Stirling's formula for ln x! lacks, for x of ten and more. */
static double stirling_rest(double x)
{
    double w = 1 / (x * x);
    return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w / 1188)))) / x;
}

/* -ln of the probability of a count n, up to what is the same for all n, from the four cells of a two by two table. */
static double improbable(double n, double a, double b, double rest, double mean)
{
    double cells[4] = {n, a - n, b - n, rest + n}, means[4] = {mean, a - mean, b - mean, rest + mean}, total = 0.0;
    for (int i = 0; i < 4; i++)
        total += deviance(cells[i], means[i]) + stirling_rest(cells[i]);
    return total + log(cells[0] * cells[1]) / 2 + log(cells[2] * cells[3]) / 2;
}

/* E[n log2(n / mean)] of a hypergeometric count far from its ends. E[n] is the mean, so that it is the expected
 * deviance: terms that are never negative. Counts lie close to each other beside their spread, and the sum over all
 * of them is that in wide steps, as a trapezoidal sum of a smooth bell is its integral. */
static double in_steps(double a, double b, double rest, double mean, double deviation)
{
    double step = floor(deviation / STEPS), middle = rint(mean), mass = 0.0, bits = 0.0;
    double nearest = improbable(middle, a, b, rest, mean);
    for (double n = middle - step * ceil(REACH * deviation / step); n <= middle + REACH * deviation; n += step) {
        double p = exp(nearest - improbable(n, a, b, rest, mean));
        mass += p;
        bits += p * deviance(n, mean);
    }
    return bits / mass / log(2.0);
}

/* The same one by one: probabilities are ratios to that of the count nearest the mean, multiplied outward from there. */
static double one_by_one(double a, double b, double rest, double records)
{
    double low = larger(0.0, -rest), high = a < b ? a : b, scale = records / a / b;
    double middle = rint(a * (b / records));
    middle = middle < low ? low : middle > high ? high : middle;
    double mass = 1.0, bits = middle > 0 ? middle * log2(middle * scale) : 0.0, p = 1.0;
    for (double n = middle; n < high && p > NOTHING;) {
        p *= (a - n) * (b - n) / ((n + 1) * (rest + n + 1));
        n += 1;
        mass += p;
        bits += p * n * log2(n * scale);
    }
    p = 1.0;
    for (double n = middle; n > low && p > NOTHING;) {
        p *= n * (rest + n) / ((a - n + 1) * (b - n + 1));
        n -= 1;
        mass += p;
        if (n > 0)
            bits += p * n * log2(n * scale);
    }
    return bits / mass;
}

/* Sum of E[n log2(n N / (a b))] over class sizes a and target frequencies b: N times bits. */
EXPORTED double chance_expected_information(const int64_t *sizes, const int64_t *often, int64_t different_sizes,
                                            const int64_t *targets, const int64_t *common, int64_t different_targets,
                                            int64_t all)
{
    double total = 0.0, records = (double)all;
    for (int64_t i = 0; i < different_sizes; i++)
        for (int64_t j = 0; j < different_targets; j++) {
            double a = (double)sizes[i], b = (double)targets[j], rest = records - a - b, mean = a * (b / records);
            double deviation = sqrt(mean * (1 - a / records) * (1 - b / records));
            double low = larger(0.0, -rest), high = a < b ? a : b, reach = (REACH + 2) * deviation;
            int far = deviation > WIDE && mean - reach > low + 10 && mean + reach < high - 10;
            double bits = far ? in_steps(a, b, rest, mean, deviation) : one_by_one(a, b, rest, records);
            total += (double)(often[i] * common[j]) * bits;
        }
    return total;
}
