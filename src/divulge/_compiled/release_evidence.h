/* Likelihood ratios of the targets of a released set, and what all tests hold a set to.
 * safe_release/kernels.py has the same functions with the same names. */

#ifndef DIVULGE_RELEASE_EVIDENCE
#define DIVULGE_RELEASE_EVIDENCE

#include "likelihood_ratios.h"

enum { MIS = 1, KLD = 2, CST = 4, DQT = 8, SEQ = 16 }; /* the tests that are asked for */
enum { EACH, MEAN, JOINT }; /* whether likelihood ratios are held to a limit by target, on average, or as a product */
#define TIE 1e-9 /* a value so near to its limit, in parts of it, has reached it */

/* What the tests hold it to, as safe_release/kernels.py describes it. */
typedef struct {
    int64_t tests, small, degrees, merging, present, form, counts_known;
    int64_t mutual_length, distance_length, fits_length;
    const double *shares, *bits, *mutual, *distance, *fits, *joint, *by_degrees, *ratios;
    const double *nats, *priors, *wholes, *known, *odds; /* known ends in its sum; odds is one number */
} Limits;

/* What has left: one stretch of memory from the counts on, and room of its own for a column and its bins. */
typedef struct {
    int64_t values, targets;
    int64_t *counts, *totals, *bins;
    double *surprise, *fit, *evidence, *parts; /* the last two where likelihood ratios are asked for */
    int64_t *bin_counts;
    double *bin_shares, *distances;
} Outside;

/* How improbable a target's records are by the baseline, -ln of it; without a target those of all targets. */
static inline double against(const Outside *outside, const Limits *limits, int64_t y)
{
    double total = 0.0;
    int64_t records = 0;
    for (int64_t x = 0; x < outside->values; x++) {
        const int64_t *row = outside->counts + x * outside->targets;
        int64_t count = 0;
        for (int64_t place = y < 0 ? 0 : y; place < (y < 0 ? outside->targets : y + 1); place++)
            count += row[place];
        if (count > 0 && !limits->counts_known)
            total += (double)count * limits->nats[x];
        else if (count > 0)
            total -= log_falling(limits->known[x], (double)count);
        records += count;
    }
    if (!limits->counts_known || total == INFINITY)
        return total;
    return total + log_falling(limits->known[outside->values], (double)records);
}

/* Work out the likelihood ratios of a target, from its counts. */
static inline void read_evidence(Outside *outside, const Limits *limits, int64_t y)
{
    double *parts = outside->parts + y * PRIORS, baseline = 0.0;
    for (int64_t prior = 0; prior < PRIORS; prior++)
        parts[prior] = limits->wholes[prior] - log_gamma(concentration(prior) + (double)outside->totals[y]);
    for (int64_t x = 0; x < outside->values; x++) {
        int64_t count = outside->counts[x * outside->targets + y];
        for (int64_t prior = 0; count > 0 && prior < PRIORS; prior++)
            parts[prior] += log_gamma(concentration(prior) * limits->shares[x] + (double)count) -
                            limits->priors[x * PRIORS + prior];
    }
    if (!(limits->counts_known && limits->form == JOINT))
        baseline = against(outside, limits, y);
    for (int64_t prior = 0; prior < PRIORS; prior++)
        parts[prior] += baseline;
    outside->evidence[y] = mixed(parts, PRIORS);
}

/* The likelihood ratios of a target with one more record, which is not counted yet, from those without it. */
static inline void step_evidence(Outside *outside, const Limits *limits, int64_t x, int64_t y)
{
    int64_t here = outside->counts[x * outside->targets + y], records = outside->totals[y];
    double expected = limits->shares[x];
    if (limits->counts_known && limits->form == JOINT)
        expected = 1.0;
    else if (limits->counts_known) {
        double left = limits->known[outside->values] - (double)records;
        expected = left > 0 ? (limits->known[x] - (double)here) / left : 0.0;
    }
    stepped(outside->parts + y * PRIORS, limits->shares[x], expected, here, records);
    outside->evidence[y] = mixed(outside->parts + y * PRIORS, PRIORS);
}

/* ln of the likelihood ratio that is held to a limit when a record of a target leaves: its own, or of all together. */
static inline double evidence_of(const Outside *outside, const Limits *limits, int64_t y)
{
    if (limits->form == EACH)
        return outside->evidence[y];
    if (limits->form == MEAN)
        return mixed(outside->evidence, outside->targets);
    double totals[PRIORS], drawn = limits->counts_known ? against(outside, limits, -1) : 0.0;
    for (int64_t prior = 0; prior < PRIORS; prior++) {
        totals[prior] = drawn;
        for (int64_t place = 0; place < outside->targets; place++)
            totals[prior] += outside->parts[place * PRIORS + prior];
    }
    return mixed(totals, PRIORS);
}

static inline int odds_below(double evidence, const Limits *limits) { return evidence < limits->odds[0] - TIE; }

#endif
