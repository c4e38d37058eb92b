/* Whether one more record keeps a released set safe, and which of those waiting may leave.
 *
 * What is outside is a table of counts and, for each target, numbers that depend on that target's counts alone. They
 * are worked out anew from the counts whenever a record of the target leaves, so that a decision is a function of the
 * counts and of nothing that came before. safe_release/leaving.py has the same.
 */

#include "loops.h"
#include "release_tests.h"

enum { READ_ALL, PUT, COUNT_EXPOSED, IS_SAFE, MAY_LEAVE, LEAVE }; /* what is asked */
#define NEVER INT64_MAX
#define NO_MEMORY (-2)

/* A dependency as it is given: the memory of what is outside, the numbers of its values and targets, and what it has. */
typedef struct {
    int64_t *memory;
    int64_t values, targets;
    const Limits *limits;
    const int64_t *cells;
    uint8_t *blocked;
} Given;

/* One of the dependencies that records are held to: what is outside by its cells, and the cell of each kind. */
typedef struct {
    Outside outside;
    const Limits *limits;
    const int64_t *cells; /* by kind; none where kinds are cells */
    uint8_t *blocked;     /* cells whose own target stands against them, until that target changes */
    int64_t exposed;      /* targets */
    double total, limit;  /* of the mutual information, n times bits, where it settles clear cases */
} Dependency;

static int64_t cell_of(const Dependency *one, int64_t kind) { return one->cells == NULL ? kind : one->cells[kind]; }

/* Say where everything of each dependency is; none where there is no memory. */
static Dependency *opened_all(const Given *given, int64_t number)
{
    Dependency *all = malloc((size_t)number * sizeof(Dependency));
    for (int64_t i = 0; all != NULL && i < number; i++) {
        if (!opened(&all[i].outside, given[i].memory, given[i].values, given[i].targets)) {
            while (i > 0)
                free(all[--i].outside.bin_counts);
            free(all);
            return NULL;
        }
        all[i].limits = given[i].limits;
        all[i].cells = given[i].cells;
        all[i].blocked = given[i].blocked;
        all[i].exposed = count_exposed(&all[i].outside, given[i].limits);
    }
    return all;
}

static void closed_all(Dependency *all, int64_t number)
{
    for (int64_t i = 0; i < number; i++)
        free(all[i].outside.bin_counts);
    free(all);
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

EXPORTED int64_t release_first_to_leave(int64_t number, const Given *given, const int64_t *heads, int64_t kinds)
{
    Dependency *all = opened_all(given, number);
    if (all == NULL)
        return NO_MEMORY;
    int64_t found = first_to_leave(all, number, heads, kinds);
    closed_all(all, number);
    return found;
}

/* Requests for records of a kind one after the other, each let out or made to wait; how many were let out, their numbers
 * in out, in order. After every release those waiting are looked through from the first, until none may leave. Of each
 * kind, heads and last have the first and the last request that waits, after the next one of each request. */
EXPORTED int64_t release_run(int64_t number, const Given *given, const int64_t *asked, int64_t requests, int64_t *heads,
                             int64_t *last, int64_t kinds, int64_t *after, int64_t *out)
{
    Dependency *all = opened_all(given, number);
    if (all == NULL)
        return NO_MEMORY;
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
    return released;
}
