/* The class statistics that read every cell, in one pass. */

#include "loops.h"

#define SMALL 64 /* records that classes have fewer than whose bits are looked up: log2 is a third of the work */
#define FEW 4 /* records that their cells have up to which they are */

static double larger(double a, double b) { return a > b ? a : b; }

static double log2_weight(double x, const double *logs, int64_t length)
{
    return x < (double)length && x == floor(x) ? logs[(int64_t)x] : log2(x);
}

/* A number that is whole, of 8 bytes, or has a fraction. */
static inline double number_at(const void *numbers, int64_t whole, int64_t i)
{
    return whole ? (double)((const int64_t *)numbers)[i] : ((const double *)numbers)[i];
}

/* The bits of cells of 1 to FEW records in classes of fewer than SMALL: by class size, then cell size, then target. */
static void fill_bits(double *bits, const double *overall, int64_t values)
{
    for (int64_t n = 1; n < SMALL; n++)
        for (int64_t c = 1; c <= FEW; c++, bits += values)
            for (int64_t x = 0; x < values; x++)
                bits[x] = log2((double)c / (double)n / overall[x]);
}

/* Ten statistics of every class, as counting/statistics.py defines them: a row of out for each, a column for a class.
 *
 * values is how many target values there are. Weights are whole or not, and count has the records of each cell. overall is each target value's share and ceiling its -ln; order has the values by rank
 * (none if they have no order), rises how far each is from the next, reach all of these together. shares has a zero for
 * each target value; looked_up, if it is there, room for the bits of small classes. Rows of out begin stride numbers after
 * one another. False where a target is none of the values. */
EXPORTED int64_t statistics_scan(const int64_t *start, int64_t classes, const int64_t *target, const int64_t *count,
                                 const void *weight, int64_t whole_weight, const void *class_weight, int64_t whole_class,
                                 const double *overall, const double *ceiling, int64_t values, int64_t occurring,
                                 const int64_t *order, int64_t ordered, const double *rises, double reach,
                                 const double *logs, int64_t logs_length, double *shares, double *looked_up,
                                 double *out, int64_t stride)
{
    if (looked_up)
        fill_bits(looked_up, overall, values);
    for (int64_t y = 0; y < classes; y++) {
        double n = number_at(class_weight, whole_class, y), inside = 0, largest = 0, divergence = 0, disclosure = 0;
        double gain = 0, enhanced = 0, excess = 0, across = 0, moved = 0;
        int64_t most = 0, least = INT64_MAX, distinct = start[y + 1] - start[y];
        const double *mine = looked_up && n >= 1 && n < SMALL ? looked_up + ((int64_t)n - 1) * FEW * values : NULL;
        for (int64_t i = start[y]; i < start[y + 1]; i++) {
            if (target[i] < 0 || target[i] >= values)
                return 0;
            double c = number_at(weight, whole_weight, i), p = overall[target[i]], q = c / n, rise = (q - p) / p;
            double bits = mine && c >= 1 && c <= FEW ? mine[((int64_t)c - 1) * values + target[i]] : log2(q / p);
            shares[target[i]] = q;
            inside += c * log2_weight(c, logs, logs_length);
            largest = larger(largest, c);
            divergence += q * bits;
            disclosure = larger(disclosure, fabs(bits));
            gain = larger(gain, rise);
            enhanced = larger(enhanced, rise > ceiling[target[i]] ? INFINITY : rise);
            excess += larger(q - p, 0.0);
            most = count[i] > most ? count[i] : most;
            least = count[i] < least ? count[i] : least;
        }
        out[y] = distinct == 1 ? 0.0 : larger(n * log2_weight(n, logs, logs_length) - inside, 0.0);
        out[stride + y] = largest / n;
        out[2 * stride + y] = larger(divergence, 0.0);
        out[3 * stride + y] = distinct == occurring ? disclosure : INFINITY;
        out[4 * stride + y] = gain;
        out[5 * stride + y] = enhanced;
        out[6 * stride + y] = distinct == 1 ? INFINITY : largest / (n - largest);
        out[7 * stride + y] = excess;
        for (int64_t rank = 0; rank + 1 < ordered; rank++) {
            across += shares[order[rank]] - overall[order[rank]];
            moved += fabs(across) * rises[rank];
        }
        out[8 * stride + y] = moved / reach;
        out[9 * stride + y] = (double)most - (distinct < values ? 0.0 : (double)least);
        for (int64_t i = start[y]; i < start[y + 1]; i++)
            shares[target[i]] = 0.0;
    }
    return 1;
}
