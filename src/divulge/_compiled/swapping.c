/* Rank swapping: a partner for every rank, within a window, in one pass.
 *
 * Ranks that are free are counted in a binary indexed tree: node i holds how many of the last (i & -i) ranks up to i,
 * counted from 1, are free.
 */

#include "loops.h"

static void leave(int32_t *free, int64_t length, int64_t rank)
{
    for (int64_t i = rank + 1; i <= length; i += i & -i)
        free[i]--;
}

/* How many ranks below a bound are free. */
static int64_t free_below(const int32_t *free, int64_t bound)
{
    int64_t count = 0;
    for (int64_t i = bound; i > 0; i -= i & -i)
        count += free[i];
    return count;
}

/* The free rank before which so many are free. */
static int64_t free_rank(const int32_t *free, int64_t length, int64_t before)
{
    int64_t at = 0, step = 1;
    while (step * 2 <= length)
        step *= 2;
    for (; step; step /= 2)
        if (at + step <= length && free[at + step] <= before) {
            at += step;
            before -= free[at];
        }
    return at;
}

/* From the lowest rank on, each that is free draws a rank above it within the window, by its number in [0, 1). The free
 * rank there or next below, otherwise next above within the window, is its partner. There is room for one count more
 * than there are ranks. */
EXPORTED void swap_ranks(const double *uniform, int64_t length, int64_t window, int32_t *free, int64_t *partner)
{
    for (int64_t i = 0; i < length; i++)
        partner[i] = -1;
    free[0] = 0;
    for (int64_t i = 1; i <= length; i++)
        free[i] = (int32_t)(i & -i);
    for (int64_t rank = 0; rank < length; rank++) {
        if (partner[rank] >= 0)
            continue;
        partner[rank] = rank;
        leave(free, length, rank); /* those below it are taken: what is free lies above */
        int64_t up = 1 + (int64_t)(uniform[rank] * (double)window);
        int64_t drawn = rank + (up < window ? up : window); /* a product may be rounded up */
        int64_t below = free_below(free, drawn < length ? drawn + 1 : length);
        int64_t other = free_rank(free, length, below ? below - 1 : 0);
        if (other < length && other <= rank + window) {
            partner[rank] = other;
            partner[other] = rank;
            leave(free, length, other);
        }
    }
}
