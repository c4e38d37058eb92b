/* What the tests read of a released set, and whether it passes them with one more record.
 * safe_release/kernels.py has the same functions with the same names. */

#ifndef DIVULGE_RELEASE_TESTS
#define DIVULGE_RELEASE_TESTS

#include "merging.h"
#include "release_evidence.h"

#define LONGEST (1 << 22) /* records of the largest release whose limits fit chance; beyond they follow chi-square */
#define SAME 1e-13 /* distances in bits no further apart, beside TIE, are the same but for rounding */
#define FAR 1e-6 /* an estimate so far beyond a limit needs no second look */
#define ROUNDING 1e-13 /* how much further for each record, since logarithms of large numbers are rounded */

/* Say where everything is; 0 where there is no memory for the bins, which are freed by their counts. */
static inline int opened(Outside *outside, int64_t *memory, int64_t values, int64_t targets)
{
    outside->values = values;
    outside->targets = targets;
    outside->counts = memory;
    outside->totals = memory + values * targets;
    outside->bins = outside->totals + targets;
    outside->surprise = (double *)(outside->bins + targets);
    outside->fit = outside->surprise + targets;
    outside->evidence = outside->fit + targets;
    outside->parts = outside->evidence + targets;
    outside->bin_counts = malloc((size_t)values * (sizeof(int64_t) + sizeof(double)) + (size_t)targets * sizeof(double));
    if (outside->bin_counts == NULL)
        return 0;
    outside->bin_shares = (double *)(outside->bin_counts + values);
    outside->distances = outside->bin_shares + values;
    return 1;
}

static inline double weight(int64_t count) { return count > 1 ? (double)count * log2((double)count) : 0.0; }
static inline int below(double value, double limit) { return value < limit * (1 - TIE); }

/* Pearson's statistic of a target's counts against the baseline, and the bins it was read on. */
static inline void pearson(Outside *outside, const Limits *limits, int64_t y)
{
    int64_t *counts = outside->bin_counts, values = outside->values, bins = values;
    double *shares = outside->bin_shares, total = 0.0;
    int right = limits->merging == RIGHT;
    for (int64_t x = 0; x < values; x++) {
        int64_t place = right ? values - 1 - x : x;
        counts[place] = outside->counts[x * outside->targets + y];
        shares[place] = limits->shares[x];
    }
    if (limits->merging == SMALLEST)
        bins = smallest_first(counts, shares, values);
    else if (limits->merging != UNMERGED)
        bins = accumulated(counts, shares, values);
    for (int64_t place = 0; place < bins; place++) {
        int64_t bin = right ? bins - 1 - place : place;
        double expected = (double)outside->totals[y] * shares[bin], apart = (double)counts[bin] - expected;
        if (expected > 0)
            total += apart * apart / expected;
        else if (counts[bin] > 0)
            total = INFINITY;
    }
    outside->fit[y] = total;
    outside->bins[y] = bins;
}

/* Work out from its counts what the tests read of a target but for likelihood ratios. */
static inline void read_distances(Outside *outside, const Limits *limits, int64_t y)
{
    double total = 0.0;
    int64_t records = 0;
    for (int64_t x = 0; x < outside->values; x++) {
        int64_t count = outside->counts[x * outside->targets + y];
        if (count > 0)
            total += weight(count) + (double)count * limits->bits[x];
        records += count;
    }
    outside->totals[y] = records;
    outside->surprise[y] = total - weight(records);
    if (limits->tests & CST)
        pearson(outside, limits, y);
}

/* Work out what the tests read of a target, from its counts. */
static inline void read_target(Outside *outside, const Limits *limits, int64_t y)
{
    read_distances(outside, limits, y);
    if (limits->tests & SEQ)
        read_evidence(outside, limits, y);
}

/* How many values of X are outside. */
static inline int64_t present_values(const Outside *outside)
{
    int64_t found = 0;
    for (int64_t x = 0; x < outside->values; x++)
        for (int64_t y = 0; y < outside->targets; y++)
            if (outside->counts[x * outside->targets + y] > 0) {
                found++;
                break;
            }
    return found;
}

/* What n times the mutual information has to stay below, for so many records. */
static inline double mutual_limit(const Outside *outside, const Limits *limits, int64_t records)
{
    if (records <= limits->small)
        return records < limits->mutual_length ? limits->mutual[records] : 0.0;
    int64_t targets = 0, degrees = 0;
    if (limits->present) {
        for (int64_t y = 0; y < outside->targets; y++)
            targets += outside->totals[y] != 0;
        degrees = (present_values(outside) - 1) * targets;
    }
    return limits->joint[degrees] / (2 * log(2));
}

/* What n times a target's distance has to stay below, for so many of its records. */
static inline double distance_limit(const Outside *outside, const Limits *limits, int64_t records)
{
    if (records <= limits->small)
        return records < limits->distance_length ? limits->distance[records] : 0.0;
    int64_t degrees = limits->present ? present_values(outside) - 1 : limits->degrees;
    return limits->by_degrees[degrees] / (2 * log(2));
}

/* What Pearson's statistic of a target has to stay below. */
static inline double fit_limit(const Outside *outside, const Limits *limits, int64_t y)
{
    if (limits->merging != UNMERGED)
        return limits->by_degrees[outside->bins[y] - 1];
    if (outside->totals[y] > LONGEST)
        return limits->by_degrees[limits->degrees];
    return outside->totals[y] < limits->fits_length ? limits->fits[outside->totals[y]] : 0.0;
}

/* Whether a target by itself stays within the limits that every target has. */
static inline int target_is_safe(const Outside *outside, const Limits *limits, int64_t y)
{
    int64_t records = outside->totals[y];
    if (records == 0)
        return 1;
    if (limits->tests & KLD && !below(outside->surprise[y], distance_limit(outside, limits, records)))
        return 0;
    if (limits->tests & SEQ && limits->form == EACH && !odds_below(outside->evidence[y], limits))
        return 0;
    return !(limits->tests & CST && outside->bins[y] > 1) ||
           below(outside->fit[y], fit_limit(outside, limits, y));
}

/* Shell's sort, which needs no memory and is quick on a few hundred numbers. */
static inline void sort(double *numbers, int64_t length)
{
    int64_t gap = 1;
    while (gap < length / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t i = gap; i < length; i++) {
            double number = numbers[i];
            int64_t j = i;
            for (; j >= gap && numbers[j - gap] > number; j -= gap)
                numbers[j] = numbers[j - gap];
            numbers[j] = number;
        }
}

/* Whether the largest distance does not stand out among those that differ. A target with a value that the baseline
 * never expects is infinitely far, and stands out for certain. */
static inline int dixon_is_safe(Outside *outside, const Limits *limits)
{
    double *distances = outside->distances;
    int64_t found = 0, different = 1;
    for (int64_t y = 0; y < outside->targets; y++)
        if (outside->totals[y] > 0)
            distances[found++] = outside->surprise[y] / (double)outside->totals[y];
    sort(distances, found);
    if (found && isinf(distances[found - 1]))
        return 0;
    for (int64_t place = 1; place < found; place++)
        different += distances[place] - distances[place - 1] > SAME + TIE * distances[place];
    double gap = different < 3 ? 0 : distances[found - 1] - distances[found - 2];
    return different < 3 || below(gap / (distances[found - 1] - distances[0]), limits->ratios[different]);
}

/* The distances of all targets together, n times bits, and their records. */
static inline double all_surprise(const Outside *outside, int64_t *records)
{
    double total = *records = 0;
    for (int64_t y = 0; y < outside->targets; y++) {
        total += outside->surprise[y];
        *records += outside->totals[y];
    }
    return total;
}

/* Whether all targets together stay within the limits of the tests that look at them together. */
static inline int together_is_safe(Outside *outside, const Limits *limits)
{
    int64_t records;
    double total = all_surprise(outside, &records);
    if (limits->tests & MIS && records > 0 && !below(total, mutual_limit(outside, limits, records)))
        return 0;
    if (limits->tests & SEQ && limits->form != EACH && !odds_below(evidence_of(outside, limits, 0), limits))
        return 0;
    return !(limits->tests & DQT) || dixon_is_safe(outside, limits);
}

/* How many targets exceed the limits that every target has. */
static inline int64_t count_exposed(const Outside *outside, const Limits *limits)
{
    int64_t found = 0;
    for (int64_t y = 0; y < outside->targets; y++)
        found += !target_is_safe(outside, limits, y);
    return found;
}

/* Let one more record out if the set stays safe with it, where so many targets are exposed without it.
 * 0: it does; 1: its own target would not, whatever happens to others; 2: all together would not. The set is left as
 * it was unless it stays safe and is to be kept. */
static inline int64_t leave(Outside *outside, const Limits *limits, int64_t x, int64_t y, int64_t exposed, int keep)
{
    if (limits->shares[x] <= 0)
        return 1;
    if (limits->present)
        exposed = -1; /* one more value changes the limits of every target */
    else if (!target_is_safe(outside, limits, y))
        exposed--;
    double surprise = outside->surprise[y], fit = outside->fit[y];
    int64_t bins = outside->bins[y], verdict, sequential = limits->tests & SEQ;
    double kept[PRIORS + 1] = {0}, beyond = 0.0, unclear = FAR + ROUNDING * (double)outside->totals[y];
    if (sequential) {
        kept[PRIORS] = outside->evidence[y];
        memcpy(kept, outside->parts + y * PRIORS, PRIORS * sizeof(double));
        step_evidence(outside, limits, x, y);
    }
    outside->counts[x * outside->targets + y]++;
    read_distances(outside, limits, y);
    if (sequential)
        beyond = evidence_of(outside, limits, y) - limits->odds[0];
    if (sequential && fabs(beyond) <= unclear)
        read_evidence(outside, limits, y); /* an estimate settles clear cases, and nothing else */
    if (exposed < 0)
        verdict = count_exposed(outside, limits) == 0 && together_is_safe(outside, limits) ? 0 : 2;
    else if (!target_is_safe(outside, limits, y))
        verdict = 1;
    else
        verdict = exposed == 0 && together_is_safe(outside, limits) ? 0 : 2;
    if (verdict != 0 || !keep) {
        outside->counts[x * outside->targets + y]--;
        outside->totals[y]--;
        outside->surprise[y] = surprise;
        outside->fit[y] = fit;
        outside->bins[y] = bins;
        if (sequential) {
            outside->evidence[y] = kept[PRIORS];
            memcpy(outside->parts + y * PRIORS, kept, PRIORS * sizeof(double));
        }
    } else if (sequential)
        read_evidence(outside, limits, y);
    return verdict;
}

#endif
