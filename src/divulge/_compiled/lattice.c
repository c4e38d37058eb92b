/* The search through the lattice of attribute subsets.
 *
 * Rows are kept class by class. One more attribute tells the classes of a subset apart, and a row that comes to
 * be alone is settled for every finer subset. By the last attributes, those of fewest values, rows are not told
 * apart: the combinations in a class are counted, and those of each subset added up from those of a larger one. This
 * is done once for records and once for each target.
 *
 * How many classes and how many cells have n records is counted as long as n is small. What is left unknown of a target
 * follows from the difference of the two, so that classes with one value cancel before anything is rounded.
 *
 * Tables of sums are all zero before and after each function, so that none has to be cleared as a whole.
 */

#include "loops.h"

#define FEW 3 /* rows of a class that are compared one by one */
#define ALIKE 12 /* rows of a class that may well be as few by the last attributes */
#define MOST_TAIL 4 /* last attributes that are counted together */
#define MOST_TARGETS 16
#define SMALL 500 /* records below which classes are counted by their size; no power of two, so that caches hold all counts */

/* A table of different rows, as engines/lattice/rows.py describes it. */
typedef struct {
    int64_t attributes, tail, targets, logs_length, largest_table;
    const uint64_t *shift, *mask; /* by attribute: how far up its code stands in a row, and its bits */
    const int64_t *below; /* by attribute: bits of a row from it down; at the end those of all targets */
    const int64_t *differ; /* which of the last attributes two rows differ in, by the difference of their bits */
    const int64_t *target_shift, *target_bits;
    const double *logs;
} Table;

/* The rows that share a class, class by class, and how many records each row stands for. */
typedef struct {
    uint64_t *rows;
    uint32_t *times;
    int32_t *start; /* one more than there are classes */
    int64_t count; /* classes */
} Classes;

/* The rows that are alone: what they are to every finer subset. */
typedef struct {
    int64_t classes, unique, least;
    double uncertainty;
} Settled;

/* What is found, by subset, and by target and subset. */
typedef struct {
    int64_t places;
    int64_t *classes, *unique, *least;
    double *uncertainty, *target, *least_target;
} Found;

/* Combinations that occur in a class, and their records. */
typedef struct {
    uint32_t *keys, *times;
} Cells;

/* Memory that a thread writes to again and again. */
typedef struct {
    Classes *classes; /* by how many attributes have been added */
    int64_t depth; /* of them */
    uint64_t *words;
    int32_t *values; /* codes of an attribute */
    int32_t *to, *seen; /* by code */
    uint32_t *sizes; /* sums, all zero between calls */
    double *left; /* the same */
    uint32_t *often; /* the same: by target (first none), subset and size */
    uint32_t *several;
    Cells cells[MOST_TAIL + 1];
} Room;

/* The logarithm in bits, by a table as far as it reaches; its entry for 0 is 0. */
static double log2_of(int64_t n, const Table *table)
{
    return n < table->logs_length ? table->logs[n] : log2((double)n);
}

static double bits_of(int64_t n, const Table *table) { return (double)n * log2_of(n, table); }

/* A sum with what rounding has lost of it: equal addends of opposite sign leave nothing, however large they are. */
typedef struct {
    double sum, lost;
} Sum;

static inline void add(Sum *to, double more)
{
    double sum = to->sum + more, part = sum - to->sum;
    to->lost += (to->sum - (sum - part)) + (more - part);
    to->sum = sum;
}

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* Classes told apart by one more attribute, given by the code of every row; the rows it settles join the settled. */
static void tell_apart(const Table *table, Classes from, Settled *settled, const int32_t *values, Classes *out,
                       Room *room)
{
    uint32_t *size = room->sizes;
    int32_t *to = room->to, *seen = room->seen, end = 0;
    out->count = 0;
    out->start[0] = 0;
    for (int64_t y = 0; y < from.count; y++) {
        int64_t kinds = 0;
        for (int32_t i = from.start[y]; i < from.start[y + 1]; i++)
            if (size[values[i]]++ == 0)
                seen[kinds++] = values[i];
        for (int64_t k = 0; k < kinds; k++) {
            to[seen[k]] = end;
            if (size[seen[k]] > 1) {
                end += (int32_t)size[seen[k]];
                out->start[++out->count] = end;
            }
        }
        for (int32_t i = from.start[y]; i < from.start[y + 1]; i++) {
            uint32_t n = from.times[i];
            if (size[values[i]] > 1) {
                int32_t place = to[values[i]]++;
                out->rows[place] = from.rows[i];
                out->times[place] = n;
            } else {
                settled->classes++;
                settled->unique += n == 1;
                settled->least = least_of(settled->least, n);
                settled->uncertainty += bits_of(n, table);
            }
        }
        for (int64_t k = 0; k < kinds; k++)
            size[seen[k]] = 0;
    }
}

/* Rows of a class that are alike from an attribute on made one, where few combinations are possible. */
static Classes merged(const Table *table, Classes from, int64_t attribute, Classes out, Room *room)
{
    int64_t bits = table->below[attribute];
    uint32_t *sums = room->sizes;
    if (bits > 30 || from.count << bits > from.start[from.count] / 2)
        return from;
    uint64_t keep = ((uint64_t)1 << bits) - 1;
    for (int64_t y = 0; y < from.count; y++)
        for (int32_t i = from.start[y]; i < from.start[y + 1]; i++)
            sums[(y << bits) + (int64_t)(from.rows[i] & keep)] += from.times[i];
    int32_t end = 0;
    out.count = from.count;
    out.start[0] = 0;
    for (int64_t y = 0; y < out.count; y++) {
        for (int64_t cell = y << bits; cell < (y + 1) << bits; cell++)
            if (sums[cell]) {
                out.rows[end] = (uint64_t)cell & keep;
                out.times[end++] = sums[cell];
                sums[cell] = 0;
            }
        out.start[y + 1] = end;
    }
    return out;
}

/* Add the settled rows to a stretch of subsets. */
static void add_settled(const Table *table, const Settled *settled, Found *found, int64_t first, int64_t last)
{
    for (int64_t place = first; place < last; place++) {
        found->classes[place] += settled->classes;
        found->unique[place] += settled->unique;
        found->least[place] = least_of(found->least[place], settled->least);
        found->uncertainty[place] += settled->uncertainty;
        if (settled->classes)
            for (int64_t k = 0; k < table->targets; k++)
                found->least_target[k * found->places + place] = 0.0;
    }
}

/* How the subsets of some attributes are found one from the other: combinations of one, with fewer bits kept. */
typedef struct {
    int64_t subset, from, to;
    uint32_t keep;
} Step;

/* The attributes counted together, and what is found of each of their subsets so far. */
typedef struct {
    int64_t bits, steps, subsets, whole; /* whole: whether all of them together are a subset of interest */
    Step step[1 << MOST_TAIL];
    int64_t least[1 << MOST_TAIL], larger[1 << MOST_TAIL], top[1 << MOST_TAIL];
    Sum sums[MOST_TARGETS + 1][1 << MOST_TAIL];
    double least_left[MOST_TARGETS + 1][1 << MOST_TAIL];
} Tail;

/* Plan the subsets with one of the attributes from one on left out, and those with more of them left out. */
static void plan(const Table *table, Tail *tail, int64_t subset, int64_t slot, int64_t first, int64_t most)
{
    for (int64_t k = first; k >= 0; k--) {
        int64_t coarser = subset & ~((int64_t)1 << k), chosen = 0, to = slot;
        uint64_t keep = 0;
        for (int64_t j = 0; j < table->tail; j++)
            if (coarser >> j & 1) {
                int64_t attribute = table->attributes - 1 - j;
                keep |= table->mask[attribute] << table->shift[attribute];
                chosen++;
            }
        if (chosen <= most) {
            Step step = {coarser, slot, slot + 1, (uint32_t)(keep >> table->below[table->attributes])};
            tail->step[tail->steps++] = step;
            to = slot + 1;
        }
        plan(table, tail, coarser, to, k - 1, most);
    }
}

/* Nothing is found yet. Where some rows are settled, some class has one target value. */
static void begin(const Table *table, const Settled *settled, Tail *tail, int64_t bits, int64_t subsets, int64_t whole)
{
    tail->bits = bits;
    tail->subsets = subsets;
    tail->whole = whole;
    tail->steps = 0;
    for (int64_t s = 0; s < subsets; s++) {
        tail->least[s] = settled->least;
        tail->larger[s] = tail->top[s] = 0;
        for (int64_t k = 0; k <= table->targets; k++) {
            Sum none = {0.0, 0.0};
            tail->sums[k][s] = none;
            tail->least_left[k][s] = settled->classes ? 0.0 : INFINITY;
        }
    }
}

/* The least that a class leaves unknown of a target. Of two passes over the cells, the first finds how large classes are. */
static double least_left(const Table *table, Cells cells, int64_t count, int64_t bits, Room *room)
{
    uint32_t *sizes = room->sizes;
    double *left = room->left, least = INFINITY;
    for (int64_t i = 0; i < count; i++)
        sizes[cells.keys[i] >> bits] += cells.times[i];
    for (int64_t i = 0; i < count; i++) {
        int64_t n = sizes[cells.keys[i] >> bits], c = cells.times[i];
        left[cells.keys[i] >> bits] += (double)c * (log2_of(n, table) - log2_of(c, table));
    }
    for (int64_t i = 0; i < count; i++)
        least = left[cells.keys[i] >> bits] < least ? left[cells.keys[i] >> bits] : least;
    for (int64_t i = 0; i < count; i++) {
        sizes[cells.keys[i] >> bits] = 0;
        left[cells.keys[i] >> bits] = 0.0;
    }
    return least;
}

/* Add the cells of a class to what is found of a subset: of records if k is 0, or else of a target. Their records are read
 * from the sums, which are zero afterwards. Those of one record, mostly many, are counted without being looked up. */
static void tally(const Table *table, Tail *tail, Cells cells, int64_t count, int64_t k, int64_t s, Room *room)
{
    uint32_t *often = room->often + (k << MOST_TAIL | s) * SMALL, *sums = room->sizes, *several = room->several;
    uint32_t least = UINT32_MAX, most = 0;
    int64_t end = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t n = sums[cells.keys[i]];
        sums[cells.keys[i]] = 0;
        cells.times[i] = n;
        several[end] = n;
        end += n > 1;
    }
    for (int64_t i = 0; i < end; i++) {
        uint32_t n = several[i];
        least = n < least ? n : least;
        most = n > most ? n : most;
        often[n < SMALL ? n : 0]++;
    }
    if (end < count) {
        often[1] += (uint32_t)(count - end);
        least = 1;
        most = most ? most : 1;
    }
    if (most >= SMALL) {
        for (int64_t i = 0; i < count; i++) {
            int64_t n = cells.times[i];
            if (n < SMALL)
                continue;
            tail->larger[s] += k == 0;
            if (k)
                add(&tail->sums[k][s], -bits_of(n, table));
            else
                for (int64_t each = 0; each <= table->targets; each++)
                    add(&tail->sums[each][s], bits_of(n, table));
        }
        often[0] = 0;
    }
    if (k == 0) {
        tail->least[s] = least_of(tail->least[s], least);
        tail->top[s] = most > tail->top[s] ? most : tail->top[s];
    } else if (tail->least_left[k][s] > 0.0) {
        double left = least_left(table, cells, count, table->target_bits[k - 1], room);
        tail->least_left[k][s] = left < tail->least_left[k][s] ? left : tail->least_left[k][s];
    }
}

/* The combinations of some rows of a class by the bits of attributes counted together and those of a target, if any, and
 * how many there are. Their records are in the sums. */
static int64_t cells_of(const Table *table, const Tail *tail, const uint64_t *rows, const uint32_t *times, int64_t count,
                        int64_t k, uint32_t *keys, uint32_t *sums)
{
    int64_t low = table->below[table->attributes], bits = k ? table->target_bits[k - 1] : 0, end = 0;
    int64_t shift = k ? table->target_shift[k - 1] : 0;
    uint64_t keep = ((uint64_t)1 << tail->bits) - 1, own = ((uint64_t)1 << bits) - 1;
    for (int64_t i = 0; i < count; i++) {
        uint32_t key = (uint32_t)((rows[i] >> low & keep) << bits | (rows[i] >> shift & own));
        uint32_t before = sums[key];
        sums[key] = before + times[i];
        keys[end] = key;
        end += before == 0;
    }
    return end;
}

/* The same with fewer bits kept, from combinations. */
static int64_t coarser(Cells from, int64_t count, uint32_t keep, uint32_t *keys, uint32_t *sums)
{
    int64_t end = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t key = from.keys[i] & keep;
        uint32_t before = sums[key];
        sums[key] = before + from.times[i];
        keys[end] = key;
        end += before == 0;
    }
    return end;
}

/* Take the records of combinations out of the sums. */
static void taken(Cells cells, int64_t count, uint32_t *sums)
{
    for (int64_t i = 0; i < count; i++) {
        cells.times[i] = sums[cells.keys[i]];
        sums[cells.keys[i]] = 0;
    }
}

/* Where each record of a class is alone, so it is in its cells: nothing has to be counted. */
static void all_alone(Tail *tail, int64_t count, int64_t k, int64_t s, Room *room)
{
    room->often[(k << MOST_TAIL | s) * SMALL + 1] += (uint32_t)count;
    tail->least_left[k][s] = 0.0;
}

/* Add what two or three rows of a class have in common, by the attributes that tell them apart: classes, classes of one,
 * what is left unknown of records, and of each target. Inclusion and exclusion: what each two have in common, and what
 * three have beyond that. */
static void compare(const Table *table, const uint64_t *words, const uint32_t *times, int32_t rows,
                    double together[][MOST_TARGETS + 3])
{
    int64_t low = table->below[table->attributes], differing = 0, ones = 0, same[MOST_TARGETS] = {0};
    uint64_t keep = ((uint64_t)1 << (table->below[table->attributes - table->tail] - low)) - 1;
    double gains = 0.0, alike[MOST_TARGETS] = {0.0};
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < i; j++) {
            uint64_t apart = words[i] ^ words[j];
            int64_t d = table->differ[apart >> low & keep];
            double gain = bits_of((int64_t)times[i] + times[j], table) - bits_of(times[i], table) - bits_of(times[j], table);
            int64_t both = (times[i] == 1) + (times[j] == 1);
            together[d][0] -= 1;
            together[d][1] -= (double)both;
            together[d][2] += gain;
            differing |= d;
            gains += gain;
            ones += both;
            for (int64_t k = 0; k < table->targets; k++)
                if (apart >> table->target_shift[k] & (((uint64_t)1 << table->target_bits[k]) - 1)) {
                    together[d][3 + k] += gain;
                } else {
                    same[k]++;
                    alike[k] += gain;
                }
        }
    if (rows == 3) {
        double apart = bits_of(times[0], table) + bits_of(times[1], table) + bits_of(times[2], table);
        double beyond = bits_of((int64_t)times[0] + times[1] + times[2], table) - apart - gains;
        together[differing][0] += 1;
        together[differing][1] += (double)(ones / 2);
        together[differing][2] += beyond;
        for (int64_t k = 0; k < table->targets; k++)
            if (same[k] < 3)
                together[differing][3 + k] += beyond;
    }
}

/* Settle a class of up to three rows, as if the rows stood apart; what they have in common where they do not is added. */
static void settle_few(const Table *table, const uint64_t *words, const uint32_t *times, int32_t rows, Settled *settled,
                       double together[][MOST_TARGETS + 3])
{
    for (int32_t i = 0; i < rows; i++) {
        settled->classes++;
        settled->unique += times[i] == 1;
        settled->uncertainty += bits_of(times[i], table);
    }
    compare(table, words, times, rows, together);
}

/* Whether the rows of a class are up to three by the last attributes and the only target, if any: these are settled. */
static int few_cells(const Table *table, const Tail *tail, const uint64_t *rows, const uint32_t *times, int64_t length,
                     Settled *settled, double together[][MOST_TARGETS + 3], Room *room)
{
    Cells cells = room->cells[0];
    int64_t count = cells_of(table, tail, rows, times, length, table->targets, cells.keys, room->sizes);
    taken(cells, count, room->sizes);
    if (count > FEW)
        return 0;
    uint64_t words[FEW];
    for (int64_t i = 0; i < count; i++)
        words[i] = cells.keys[i];
    settle_few(table, words, cells.times, (int32_t)count, settled, together);
    return 1;
}

/* Count the classes of more than a few rows by the attributes of a tail, for records and every target. */
static void count_cells(const Table *table, Classes from, Tail *tail, int32_t few, Settled *settled,
                        double together[][MOST_TARGETS + 3], Room *room)
{
    for (int64_t y = 0; y < from.count; y++) {
        const uint64_t *rows = from.rows + from.start[y];
        const uint32_t *times = from.times + from.start[y];
        int64_t length = from.start[y + 1] - from.start[y], records = 0, last = tail->subsets - 1;
        int64_t counts[MOST_TAIL + 1], at[MOST_TAIL + 1] = {0}, classes[1 << MOST_TAIL];
        if (length <= few) {
            settle_few(table, rows, times, (int32_t)length, settled, together);
            continue;
        }
        if (few && length <= ALIKE && table->targets <= 1 &&
            few_cells(table, tail, rows, times, length, settled, together, room))
            continue;
        for (int64_t i = 0; i < length; i++)
            records += times[i];
        for (int64_t k = 0; k <= table->targets; k++) {
            int64_t bits = k ? table->target_bits[k - 1] : 0;
            uint32_t own = (uint32_t)(((uint64_t)1 << bits) - 1);
            counts[0] = cells_of(table, tail, rows, times, length, k, room->cells[0].keys, room->sizes);
            if (tail->whole)
                tally(table, tail, room->cells[0], counts[0], k, last, room);
            else
                taken(room->cells[0], counts[0], room->sizes);
            for (int64_t i = 0; i < tail->steps; i++) {
                Step step = tail->step[i];
                if (k && classes[step.subset] == records) {
                    all_alone(tail, records, k, step.subset, room);
                    at[step.to] = at[step.from];
                    continue;
                }
                Cells cells = room->cells[step.to];
                int64_t parent = at[step.from];
                at[step.to] = step.to;
                counts[step.to] =
                    coarser(room->cells[parent], counts[parent], step.keep << bits | own, cells.keys, room->sizes);
                tally(table, tail, cells, counts[step.to], k, step.subset, room);
                if (k == 0)
                    classes[step.subset] = counts[step.to];
            }
        }
    }
}

/* A count, which is zero afterwards. */
static int64_t taken_count(uint32_t *often)
{
    int64_t count = *often;
    *often = 0;
    return count;
}

/* Add what was counted of a subset to what is found; the counts are all zero afterwards. */
static void finish(const Table *table, Tail *tail, int64_t s, Found *found, int64_t place, Room *room)
{
    for (int64_t n = 1; n <= tail->top[s] && n < SMALL; n++) {
        int64_t classes = taken_count(&room->often[s * SMALL + n]);
        double bits = bits_of(n, table);
        add(&tail->sums[0][s], (double)classes * bits);
        for (int64_t k = 1; k <= table->targets; k++)
            add(&tail->sums[k][s], (double)(classes - taken_count(&room->often[(k << MOST_TAIL | s) * SMALL + n])) * bits);
        found->classes[place] += classes;
        found->unique[place] += n == 1 ? classes : 0;
    }
    found->classes[place] += tail->larger[s];
    found->least[place] = least_of(found->least[place], tail->least[s]);
    found->uncertainty[place] += tail->sums[0][s].sum + tail->sums[0][s].lost;
    for (int64_t k = 1; k <= table->targets; k++) {
        int64_t at = (k - 1) * found->places + place;
        double left = tail->sums[k][s].sum + tail->sums[k][s].lost;
        found->target[at] += left > 0.0 ? left : 0.0;
        if (tail->least_left[k][s] < found->least_target[at])
            found->least_target[at] = tail->least_left[k][s];
    }
}

/* Find a subset, and it with up to so many of the last attributes.
 * Once a record stands alone only sums are of interest. Then the classes of up to three rows are settled, as if the rows
 * stood apart, and what they have in common where they do not is added. */
static void count_tail(const Table *table, Classes from, Settled settled, int64_t most, Found *found, int64_t place,
                       Room *room)
{
    double together[1 << MOST_TAIL][MOST_TARGETS + 3];
    int64_t all = ((int64_t)1 << table->tail) - 1, width = table->below[table->attributes - table->tail];
    int32_t few = settled.least == 1 ? FEW : 0;
    Tail tail;
    memset(together, 0, sizeof together);
    begin(table, &settled, &tail, width - table->below[table->attributes], all + 1, table->tail <= most);
    plan(table, &tail, all, 0, table->tail - 1, most);
    count_cells(table, from, &tail, few, &settled, together, room);
    for (int64_t s = 0; s <= all; s++) {
        int64_t here = place + s, chosen = 0;
        for (int64_t k = 0; k < table->tail; k++)
            chosen += s >> k & 1;
        if (chosen > most)
            continue;
        add_settled(table, &settled, found, here, here + 1);
        for (int64_t d = 0; d <= all; d++)
            if ((d & s) == 0) { /* what rows have in common that this subset does not tell apart */
                found->classes[here] += (int64_t)together[d][0];
                found->unique[here] += (int64_t)together[d][1];
                found->uncertainty[here] += together[d][2];
                for (int64_t k = 0; k < table->targets; k++)
                    found->target[k * found->places + here] += together[d][3 + k];
            }
        finish(table, &tail, s, found, here, room);
    }
}

/* The classes of a subset told apart by one more attribute, given by its codes. */
EXPORTED void lattice_refine(const Table *table, const Classes *from, Settled *settled, const int32_t *values,
                             Classes *out, Room *room)
{
    tell_apart(table, *from, settled, values, out, room);
}

/* Find the subset with one more attribute, given by its codes below possible, to which nothing is to be added. */
EXPORTED void lattice_count_finer(const Table *table, const Classes *from, const Settled *settled,
                                  const int32_t *values, int64_t possible, Found *found, int64_t place, Room *room)
{
    int64_t low = table->below[table->attributes], widest = 0, bits = 0;
    for (int64_t k = 0; k < table->targets; k++)
        widest = table->target_bits[k] > widest ? table->target_bits[k] : widest;
    if (possible << widest > table->largest_table) {
        Classes *deepest = &room->classes[room->depth - 1];
        Settled now = *settled;
        tell_apart(table, *from, &now, values, deepest, room);
        count_tail(table, *deepest, now, 0, found, place, room);
        return;
    }
    while ((possible - 1) >> bits)
        bits++;
    uint64_t targets = ((uint64_t)1 << low) - 1;
    Classes words = *from;
    Tail tail;
    words.rows = room->words;
    for (int32_t i = 0; i < from->start[from->count]; i++)
        words.rows[i] = ((uint64_t)values[i] << low) | (from->rows[i] & targets);
    begin(table, settled, &tail, bits, 1, 1);
    count_cells(table, words, &tail, 0, NULL, NULL, room);
    add_settled(table, settled, found, place, place + 1);
    finish(table, &tail, 0, found, place, room);
}

/* Find a subset and those that add up to so many (one at least) of the attributes from one on. */
EXPORTED void lattice_explore(const Table *table, const Classes *given, const Settled *settled, int64_t attribute,
                              int64_t place, int64_t most, Found *found, Room *room, int64_t depth)
{
    int64_t attributes = table->attributes;
    Classes classes = *given;
    if (classes.count == 0) {
        add_settled(table, settled, found, place, place + ((int64_t)1 << (attributes - attribute)));
        return;
    }
    count_tail(table, classes, *settled, most, found, place, room);
    for (int64_t a = attribute; a < attributes - table->tail; a++) {
        classes = merged(table, classes, a, room->classes[depth], room);
        for (int32_t i = 0; i < classes.start[classes.count]; i++)
            room->values[i] = (int32_t)((classes.rows[i] >> table->shift[a]) & table->mask[a]);
        int64_t finer = place + ((int64_t)1 << (attributes - 1 - a));
        if (most == 1) {
            lattice_count_finer(table, &classes, settled, room->values, (int64_t)table->mask[a] + 1, found, finer,
                                room);
        } else {
            Classes *deeper = &room->classes[depth + 1];
            Settled now = *settled;
            tell_apart(table, classes, &now, room->values, deeper, room);
            lattice_explore(table, deeper, &now, a + 1, finer, most - 1, found, room, depth + 1);
        }
    }
}
