/* The distribution functions that chance is read from: normal, gamma and beta.
 * _support/special_functions.py has the same functions with the same names. */

#include "loops.h"

#define ROUND 1e-16
#define MOST_STEPS 200000
#define TINY 1e-300
#define LARGE 1e4 /* a parameter from which a gamma distribution is read as a normal one with corrections */
#define TAU 6.283185307179586

/* m - ln(1 + m), to all digits also where it is small, for m = x / mean - 1. */
static double excess(double x, double mean)
{
    double m = (x - mean) / mean;
    if (fabs(m) > 0.1)
        return m - log(x / mean);
    double power = m * m, total = 0.0;
    for (int k = 2; k < 20; k++, power *= -m)
        total += power / k;
    return total;
}

/* What Stirling's formula for ln gamma(a) lacks. */
static double stirling_rest(double a)
{
    double below = 0.0, z = a;
    if (a < 10) { /* from ten further on, back by the factors between */
        double product = 1.0;
        for (int i = 0; i < 10; i++)
            product *= a + i;
        z = a + 10;
        below = (z - 0.5) * log(z) - z - (a - 0.5) * log(a) + a - log(product);
    }
    double w = 1 / (z * z);
    return below + (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w / 1188)))) / z;
}

static double not_zero(double x) { return fabs(x) < TINY ? TINY : x; }

/* For large a: Temme's expansion about the normal distribution, which errs by a^-3. */
static double gamma_by_normal(double a, double x, int upper)
{
    double m = (x - a) / a, n = sqrt(2 * excess(x, a)), c0, c1, c2 = 0.0;
    n = m < 0 ? -n : n;
    if (fabs(n) < 0.1) {
        c0 = -1.0 / 3 + n * (1.0 / 12 + n * (-2.0 / 135 + n * (1.0 / 864 + n * (1.0 / 2835 - n * 139.0 / 777600))));
        c1 = -1.0 / 540 + n * (-1.0 / 288 + n * (25.0 / 12096 + n * (-223.0 / 388800 + n * 89.0 / 1088640)));
        c2 = 25.0 / 6048 - n * 139.0 / 51840;
    } else {
        c0 = 1 / m - 1 / n;
        c1 = 1 / (n * n * n) - 1 / (m * m * m) - 1 / (m * m) - 1 / (12 * m);
    }
    double more = exp(-a * excess(x, a)) / sqrt(TAU * a) * (c0 + (c1 + c2 / a) / a);
    return upper ? erfc(n * sqrt(a / 2)) / 2 + more : erfc(-n * sqrt(a / 2)) / 2 - more;
}

/* How probable a gamma variable with parameter a is to lie below x, or above it. */
static double gamma_part(double a, double x, int upper)
{
    if (!(x > 0))
        return upper ? 1.0 : 0.0;
    if (isinf(x))
        return upper ? 0.0 : 1.0;
    if (a >= LARGE)
        return gamma_by_normal(a, x, upper);
    double front = exp(-a * excess(x, a) - stirling_rest(a)) * sqrt(a / TAU), found;
    if (x < a + 1) { /* the part below, by its series */
        double term = 1 / a, total = term;
        for (int n = 1; n < MOST_STEPS && term > total * ROUND; n++) {
            term *= x / (a + n);
            total += term;
        }
        found = front * total;
        return upper ? 1 - found : found;
    }
    double b = x + 1 - a, c = 1 / TINY, d = 1 / b, h = d; /* the part above, by its continued fraction */
    for (int n = 1; n < MOST_STEPS; n++) {
        double an = -n * (n - a);
        b += 2;
        d = 1 / not_zero(an * d + b);
        c = not_zero(b + an / c);
        h *= d * c;
        if (fabs(d * c - 1) < ROUND)
            break;
    }
    found = front * h;
    return upper ? found : 1 - found;
}

/* How probable a beta variable is to lie below x, by its continued fraction. */
static double beta_part(double a, double b, double x)
{
    if (!(x > 0))
        return 0.0;
    if (x >= 1)
        return 1.0;
    if (x > (a + 1) / (a + b + 2))
        return 1 - beta_part(b, a, 1 - x);
    double n = a + b, apart = a * excess(n * x, a) + b * excess(n * (1 - x), b);
    double front = exp(stirling_rest(n) - stirling_rest(a) - stirling_rest(b) - apart) * sqrt(a * b / (TAU * n));
    if (front == 0)
        return 0.0;
    double c = 1, d = 1 / not_zero(1 - n * x / (a + 1)), h = d;
    for (int m = 1; m < MOST_STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (n + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        h *= d * c;
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        h *= d * c;
        if (fabs(d * c - 1) < ROUND)
            break;
    }
    return front * h / a;
}

EXPORTED void special_normal(const double *x, int64_t length, double *out)
{
    for (int64_t i = 0; i < length; i++)
        out[i] = erfc(-x[i] / sqrt(2)) / 2;
}

EXPORTED void special_gamma(const double *a, const double *x, int64_t length, int64_t upper, double *out)
{
    for (int64_t i = 0; i < length; i++)
        out[i] = gamma_part(a[i], x[i], (int)upper);
}

EXPORTED void special_beta(const double *a, const double *b, const double *x, int64_t length, double *out)
{
    for (int64_t i = 0; i < length; i++)
        out[i] = beta_part(a[i], b[i], x[i]);
}
