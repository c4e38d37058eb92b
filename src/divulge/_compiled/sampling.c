/* Releases made up of chance alone, one record after the other, as safe_release/statistics/sampling.py draws them. */

#include "loops.h"

#define STEP 0x9E3779B97F4A7C15u

/* SplitMix64: a word in which every bit depends on all bits of another. */
static uint64_t mixed(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

/* A place drawn by its share, from a word of chance; guide says where a search for a point begins. */
static int64_t drawn(const double *cumulative, int64_t length, const int64_t *guide, int64_t guides, uint64_t state)
{
    double point = (double)(mixed(state) >> 11) * (1.0 / 9007199254740992.0);
    int64_t place = guide[(int64_t)(point * (double)guides)];
    while (place < length - 1 && cumulative[place] <= point)
        place++;
    return place;
}

/* What an observer sees in releases without any dependency: n times their exposure in bits, by size.
 * Each row of found is a sequence of its own, told by its number and the seed; values and targets are cumulative
 * shares, sizes ascend, weights are n log2 n. The first n records are the same however many follow. */
EXPORTED void sampling_surprises(const double *bits, const double *values, int64_t value_count,
                                const int64_t *value_guide, int64_t value_guides, const double *targets,
                                int64_t target_count, const int64_t *target_guide, int64_t target_guides,
                                const double *weights, const int64_t *sizes, int64_t size_count, int64_t first,
                                uint64_t seed, int64_t *counts, int64_t *totals, double *found, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++) {
        memset(counts, 0, (size_t)(value_count * target_count) * sizeof *counts);
        memset(totals, 0, (size_t)target_count * sizeof *totals);
        uint64_t state = mixed(seed ^ mixed((uint64_t)(first + row) + STEP));
        double surprise = 0.0;
        int64_t at = 0;
        for (int64_t size = 1; size <= sizes[size_count - 1]; size++) {
            state += STEP;
            int64_t x = drawn(values, value_count, value_guide, value_guides, state);
            state += STEP;
            int64_t y = drawn(targets, target_count, target_guide, target_guides, state);
            int64_t here = counts[y * value_count + x]++, there = totals[y]++;
            surprise += weights[here + 1] - weights[here] - weights[there + 1] + weights[there];
            surprise += bits[x];
            if (size == sizes[at])
                found[row * size_count + at++] = surprise;
        }
    }
}
