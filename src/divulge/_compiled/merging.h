/* Neighbouring values joined until each bin holds enough records for a chi-square test.
 * safe_release/statistics/merging.py has the same. */

#ifndef DIVULGE_MERGING
#define DIVULGE_MERGING

#include "loops.h"

enum { SMALLEST, LEFT, RIGHT, UNMERGED }; /* how neighbouring values are joined */
#define LEAST 5 /* records of a bin */

/* The smallest bin that is too small joins the smaller of its neighbours, and so on; how many are left. */
static inline int64_t smallest_first(int64_t *counts, double *shares, int64_t bins)
{
    while (bins > 1) {
        int64_t at = 0;
        for (int64_t place = 1; place < bins; place++)
            if (counts[place] < counts[at])
                at = place;
        if (counts[at] >= LEAST)
            break;
        int64_t left = at == bins - 1 || (at > 0 && counts[at - 1] <= counts[at + 1]) ? at - 1 : at;
        counts[left] += counts[left + 1];
        shares[left] += shares[left + 1];
        bins--;
        for (int64_t place = left + 1; place < bins; place++) {
            counts[place] = counts[place + 1];
            shares[place] = shares[place + 1];
        }
    }
    return bins;
}

/* Values join one after the other until they are enough; what is left over joins the last bin; how many are left. */
static inline int64_t accumulated(int64_t *counts, double *shares, int64_t values)
{
    int64_t bins = 0, open = 0, count = 0;
    double share = 0.0;
    for (int64_t place = 0; place < values; place++) {
        count += counts[place];
        share += shares[place];
        open = count < LEAST;
        if (!open) {
            counts[bins] = count;
            shares[bins++] = share;
            count = 0;
            share = 0.0;
        }
    }
    if (open && bins > 0) {
        counts[bins - 1] += count;
        shares[bins - 1] += share;
    } else if (open) {
        counts[0] = count;
        shares[0] = share;
        bins = 1;
    }
    return bins;
}

#endif
