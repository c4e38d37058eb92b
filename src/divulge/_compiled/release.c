/* Whether one more record keeps a released set safe, and which of those waiting may leave.
 *
 * What is outside is a table of counts and, for each target, numbers that depend on that target's counts alone. They
 * are worked out anew from the counts whenever a record of the target leaves, so that a decision is a function of the
 * counts and of nothing that came before. safe_release/kernels.py has the same functions with the same names.
 */

#include "loops.h"
#include "merging.h"
#include "release_evidence.h"

enum { READ_ALL, PUT, COUNT_EXPOSED, IS_SAFE, MAY_LEAVE, LEAVE }; /* what is asked */
#define LONGEST (1 << 22) /* records of the largest release whose limits fit chance; beyond they follow chi-square */
#define SAME 1e-13 /* distances in bits no further apart, beside TIE, are the same but for rounding */
#define FAR 1e-6 /* an estimate so far beyond a limit needs no second look */
#define ROUNDING 1e-13 /* how much further for each record, since logarithms of large numbers are rounded */
#define NEVER INT64_MAX
#define NO_MEMORY (-2)

/* Say where everything is; 0 where there is no memory for the bins, which are freed by their counts. */
static int opened(Outside *outside, int64_t *memory, int64_t values, int64_t targets)
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

static double weight(int64_t count) { return count > 1 ? (double)count * log2((double)count) : 0.0; }
static int below(double value, double limit) { return value < limit * (1 - TIE); }

/* Pearson's statistic of a target's counts against the baseline, and the bins it was read on. */
static void pearson(Outside *outside, const Limits *limits, int64_t y)
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
static void read_distances(Outside *outside, const Limits *limits, int64_t y)
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
static void read_target(Outside *outside, const Limits *limits, int64_t y)
{
    read_distances(outside, limits, y);
    if (limits->tests & SEQ)
        read_evidence(outside, limits, y);
}

/* How many values of X are outside. */
static int64_t present_values(const Outside *outside)
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
static double mutual_limit(const Outside *outside, const Limits *limits, int64_t records)
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
static double distance_limit(const Outside *outside, const Limits *limits, int64_t records)
{
    if (records <= limits->small)
        return records < limits->distance_length ? limits->distance[records] : 0.0;
    int64_t degrees = limits->present ? present_values(outside) - 1 : limits->degrees;
    return limits->by_degrees[degrees] / (2 * log(2));
}

/* What Pearson's statistic of a target has to stay below. */
static double fit_limit(const Outside *outside, const Limits *limits, int64_t y)
{
    if (limits->merging != UNMERGED)
        return limits->by_degrees[outside->bins[y] - 1];
    if (outside->totals[y] > LONGEST)
        return limits->by_degrees[limits->degrees];
    return outside->totals[y] < limits->fits_length ? limits->fits[outside->totals[y]] : 0.0;
}

/* Whether a target by itself stays within the limits that every target has. */
static int target_is_safe(const Outside *outside, const Limits *limits, int64_t y)
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
static void sort(double *numbers, int64_t length)
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
static int dixon_is_safe(Outside *outside, const Limits *limits)
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
static double all_surprise(const Outside *outside, int64_t *records)
{
    double total = *records = 0;
    for (int64_t y = 0; y < outside->targets; y++) {
        total += outside->surprise[y];
        *records += outside->totals[y];
    }
    return total;
}

/* Whether all targets together stay within the limits of the tests that look at them together. */
static int together_is_safe(Outside *outside, const Limits *limits)
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
static int64_t count_exposed(const Outside *outside, const Limits *limits)
{
    int64_t found = 0;
    for (int64_t y = 0; y < outside->targets; y++)
        found += !target_is_safe(outside, limits, y);
    return found;
}

/* Let one more record out if the set stays safe with it, where so many targets are exposed without it.
 * 0: it does; 1: its own target would not, whatever happens to others; 2: all together would not. The set is left as
 * it was unless it stays safe and is to be kept. */
static int64_t leave(Outside *outside, const Limits *limits, int64_t x, int64_t y, int64_t exposed, int keep)
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

/* One of the dependencies that records are held to: what is outside by its cells, and the cell of each kind of record. */
typedef struct {
    Outside outside;
    const Limits *limits;
    const int64_t *cells; /* by kind; none where kinds are cells */
    uint8_t *blocked;     /* cells whose own target stands against them, until that target changes */
    int64_t exposed;      /* targets */
    double total, limit;  /* of the mutual information, n times bits, where it settles clear cases */
} Dependency;

static int64_t cell_of(const Dependency *one, int64_t kind) { return one->cells == NULL ? kind : one->cells[kind]; }

/* Say where everything of each dependency is; 0 where there is no memory. */
static int opened_all(Dependency *all, int64_t number, int64_t *const *memories, const int64_t *shapes,
                      const Limits *const *limits, const int64_t *const *cells, uint8_t *const *blocked)
{
    for (int64_t i = 0; i < number; i++) {
        if (!opened(&all[i].outside, memories[i], shapes[2 * i], shapes[2 * i + 1])) {
            while (i > 0)
                free(all[--i].outside.bin_counts);
            return 0;
        }
        all[i].limits = limits[i];
        all[i].cells = cells[i];
        all[i].blocked = blocked[i];
        all[i].exposed = count_exposed(&all[i].outside, limits[i]);
    }
    return 1;
}

static void closed_all(Dependency *all, int64_t number)
{
    for (int64_t i = 0; i < number; i++)
        free(all[i].outside.bin_counts);
}

/* Whether no dependency stands against one more record of a kind. */
static int may_leave(Dependency *all, int64_t number, int64_t kind)
{
    for (int64_t i = 0; i < number; i++) {
        Dependency *one = all + i;
        int64_t cell = cell_of(one, kind), targets = one->outside.targets, y = cell % targets;
        if (leave(&one->outside, one->limits, cell / targets, y, one->exposed, 0) != 0)
            return 0;
    }
    return 1;
}

/* The same where some cells are known to be blocked, and what is learnt about others is remembered. */
static int may_leave_now(Dependency *all, int64_t number, int64_t kind)
{
    for (int64_t i = 0; i < number; i++)
        if (all[i].blocked[cell_of(all + i, kind)])
            return 0;
    for (int64_t i = 0; i < number; i++) {
        Dependency *one = all + i;
        const Outside *outside = &one->outside;
        int64_t cell = cell_of(one, kind), x = cell / outside->targets, y = cell % outside->targets;
        if (one->limit < INFINITY) {
            int64_t here = outside->counts[cell], there = outside->totals[y];
            double gain = weight(here + 1) - weight(here) - weight(there + 1) + weight(there);
            if (one->total + gain + one->limits->bits[x] > one->limit)
                return 0;
        }
        int64_t verdict = leave(&one->outside, one->limits, x, y, one->exposed, 0);
        if (verdict == 1 && !one->limits->present)
            one->blocked[cell] = 1;
        if (verdict != 0)
            return 0;
    }
    return 1;
}

/* Among kinds of records whose first arrival is given, the one that came first and may leave; -1 for none. */
static int64_t first_to_leave(Dependency *all, int64_t number, const int64_t *heads, int64_t kinds)
{
    int64_t best = NEVER, found = -1, records;
    for (int64_t i = 0; i < number; i++) {
        all[i].total = all_surprise(&all[i].outside, &records);
        all[i].limit = INFINITY;
        if (all[i].limits->tests & MIS && !all[i].limits->present)
            all[i].limit = mutual_limit(&all[i].outside, all[i].limits, records + 1) * (1 + FAR);
    }
    for (int64_t kind = 0; kind < kinds; kind++)
        if (heads[kind] < best && may_leave_now(all, number, kind)) {
            best = heads[kind];
            found = kind;
        }
    return found;
}

/* A record of a kind is out, under every dependency; no target is exposed then. */
static void let_out(Dependency *all, int64_t number, int64_t kind)
{
    for (int64_t i = 0; i < number; i++) {
        Outside *outside = &all[i].outside;
        int64_t cell = cell_of(all + i, kind), y = cell % outside->targets;
        outside->counts[cell]++;
        read_target(outside, all[i].limits, y);
        all[i].exposed = 0;
        for (int64_t x = 0; x < outside->values; x++)
            all[i].blocked[x * outside->targets + y] = 0;
    }
}

/* One question about a set, or one change of it: what the tests read of every target; so many records of a cell out, or
 * back; how many targets exceed the limits that each has; whether all tests pass; whether a record may leave, and if it
 * may, let it. */
EXPORTED int64_t release_ask(int64_t what, int64_t *memory, int64_t values, int64_t targets, const Limits *limits,
                             int64_t x, int64_t y, int64_t number)
{
    Outside outside;
    int64_t found = 0;
    if (!opened(&outside, memory, values, targets))
        return NO_MEMORY;
    switch (what) {
    case READ_ALL:
        for (y = 0; y < targets; y++)
            read_target(&outside, limits, y);
        break;
    case PUT:
        outside.counts[x * targets + y] += number;
        read_target(&outside, limits, y);
        break;
    case COUNT_EXPOSED:
        found = count_exposed(&outside, limits);
        break;
    case IS_SAFE:
        found = count_exposed(&outside, limits) == 0 && together_is_safe(&outside, limits);
        break;
    default:
        found = leave(&outside, limits, x, y, number, what == LEAVE);
    }
    free(outside.bin_counts);
    return found;
}

EXPORTED int64_t release_first_to_leave(int64_t number, int64_t *const *memories, const int64_t *shapes,
                                        const Limits *const *limits, const int64_t *const *cells,
                                        uint8_t *const *blocked, const int64_t *heads, int64_t kinds)
{
    Dependency *all = malloc((size_t)number * sizeof(Dependency));
    if (all == NULL || !opened_all(all, number, memories, shapes, limits, cells, blocked)) {
        free(all);
        return NO_MEMORY;
    }
    int64_t found = first_to_leave(all, number, heads, kinds);
    closed_all(all, number);
    free(all);
    return found;
}

/* Requests for records of a kind one after the other, each let out or made to wait; how many were let out, their numbers
 * in out, in order. After every release those waiting are looked through from the first, until none may leave. Of each
 * kind, heads and last have the first and the last request that waits, after the next one of each request. */
EXPORTED int64_t release_run(int64_t number, int64_t *const *memories, const int64_t *shapes,
                             const Limits *const *limits, const int64_t *const *cells, uint8_t *const *blocked,
                             const int64_t *asked, int64_t requests, int64_t *heads, int64_t *last, int64_t kinds,
                             int64_t *after, int64_t *out)
{
    Dependency *all = malloc((size_t)number * sizeof(Dependency));
    if (all == NULL || !opened_all(all, number, memories, shapes, limits, cells, blocked)) {
        free(all);
        return NO_MEMORY;
    }
    int64_t released = 0;
    for (int64_t request = 0; request < requests; request++) {
        int64_t kind = asked[request], leaving = request;
        if (heads[kind] < NEVER || !may_leave(all, number, kind)) {
            if (heads[kind] == NEVER)
                heads[kind] = request;
            else
                after[last[kind]] = request;
            last[kind] = request;
            continue;
        }
        while (leaving >= 0) {
            let_out(all, number, kind);
            out[released++] = leaving;
            kind = first_to_leave(all, number, heads, kinds);
            leaving = -1;
            if (kind >= 0) {
                leaving = heads[kind];
                heads[kind] = after[leaving] >= 0 ? after[leaving] : NEVER;
            }
        }
    }
    closed_all(all, number);
    free(all);
    return released;
}
