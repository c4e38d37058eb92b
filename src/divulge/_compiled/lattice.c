/* The search through the lattice of attribute subsets.
 *
 * Rows are kept class by class. One more attribute tells the classes of a subset apart, and a row that comes to
 * be alone is settled for every finer subset. By the last attributes, those of fewest values, rows are not
 * told apart: their combinations are counted within each class, for all subsets of them in one go.
 *
 * Tables of sums are all zero before and after each function, so that none has to be cleared as a whole.
 */

#include "loops.h"

#define FEW 3 /* different rows of a class that are compared one by one */
#define MOST_TAIL 4 /* last attributes that are counted together */

/* A table of different rows, as engines/lattice/rows.py describes it. */
typedef struct {
    int64_t attributes, tail, target_bits, logs_length, largest_table;
    const uint64_t *shift, *mask; /* by attribute: how far up its code stands in a row, and its bits */
    const int64_t *below; /* by attribute: bits of a row from it down; at the end the target's */
    const int64_t *differ; /* which of the last attributes two rows differ in, by the difference of their bits */
    const double *logs;
} Table;

/* The rows that share a class, class by class, and how many records each row stands for. */
typedef struct {
    uint64_t *rows;
    int64_t *times;
    int32_t *start; /* one more than there are classes */
    int64_t count; /* classes */
} Classes;

/* The rows that are alone: what they are to every finer subset. */
typedef struct {
    int64_t classes, unique, least;
    double uncertainty;
} Settled;

/* What is found, by subset. */
typedef struct {
    int64_t *classes, *unique, *least;
    double *uncertainty, *target, *least_target;
} Found;

/* Memory that a thread writes to again and again. */
typedef struct {
    Classes *classes; /* by how many attributes have been added */
    int64_t depth; /* of them */
    Classes lowest; /* the lowest bits of rows */
    uint64_t *words;
    int32_t *values; /* codes of an attribute */
    int32_t *to, *seen; /* by code */
    int64_t *sizes, *cells; /* sums, all zero between calls */
    double *left; /* the same */
} Room;

/* The logarithm in bits, by a table as far as it reaches; its entry for 0 is 0. */
static double log2_of(int64_t n, const double *logs, int64_t logs_length)
{
    return n < logs_length ? logs[n] : log2((double)n);
}

#define SUMMED 512 /* rows whose shares are added up by themselves */

static double bits_of(int64_t n, const Table *table)
{
    return (double)n * log2_of(n, table->logs, table->logs_length);
}

/* A sum with what rounding has lost of it, so that millions of addends do no harm to the twelfth digit. */
typedef struct {
    double sum, lost;
} Sum;

static inline void add(Sum *to, double more)
{
    double rest = more - to->lost, sum = to->sum + rest;
    to->lost = (sum - to->sum) - rest;
    to->sum = sum;
}

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* Classes told apart by one more attribute, given by the code of every row; the rows it settles join the settled. */
static void tell_apart(const Table *table, Classes from, Settled *settled, const int32_t *values, Classes *out,
                       Room *room)
{
    int64_t *size = room->sizes;
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
            int64_t n = from.times[i];
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
    int64_t bits = table->below[attribute], *sums = room->sizes;
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
static void add_settled(const Settled *settled, Found *found, int64_t first, int64_t last)
{
    for (int64_t place = first; place < last; place++) {
        found->classes[place] += settled->classes;
        found->unique[place] += settled->unique;
        found->least[place] = least_of(found->least[place], settled->least);
        found->uncertainty[place] += settled->uncertainty;
        if (settled->classes)
            found->least_target[place] = 0.0;
    }
}

/* Tell classes apart by some bits of their rows, the target's lowest, and add what they are to a subset.
 * Minima are of interest as long as no record stands alone. A row adds its own share of what its class and cell are to
 * sums, so that nobody has to know which row is the first. */
static void count(const Table *table, Classes from, uint64_t keep, int minima, Found *found, int64_t place, Room *room)
{
    int64_t bits = table->target_bits, *sizes = room->sizes, *cells = room->cells, length = table->logs_length;
    int64_t classes = 0, unique = 0, least = INT64_MAX;
    const double *logs = table->logs;
    double *left = room->left, least_target = bits ? INFINITY : 0.0;
    Sum uncertainty = {0.0, 0.0}, target = {0.0, 0.0};
    for (int64_t y = 0; y < from.count; y++) {
        int32_t first = from.start[y], last = from.start[y + 1];
        if (bits) {
            for (int32_t i = first; i < last; i++) {
                uint64_t cell = from.rows[i] & keep;
                int64_t n = sizes[cell >> bits];
                classes += n == 0;
                sizes[cell >> bits] = n + from.times[i];
                cells[cell] += from.times[i];
            }
            for (int32_t begin = first; begin < last; begin += SUMMED) {
                int32_t end = last - begin < SUMMED ? last : begin + SUMMED;
                double in_classes = 0.0, in_cells = 0.0;
                for (int32_t i = begin; i < end; i++) {
                    uint64_t cell = from.rows[i] & keep;
                    int64_t n = sizes[cell >> bits], times = from.times[i];
                    double bits_of_class = log2_of(n, logs, length);
                    double here = (double)times * (bits_of_class - log2_of(cells[cell], logs, length));
                    in_cells += here;
                    in_classes += (double)times * bits_of_class;
                    unique += n == 1;
                    if (minima)
                        left[cell >> bits] += here;
                }
                add(&target, in_cells);
                add(&uncertainty, in_classes);
            }
        } else {
            for (int32_t i = first; i < last; i++) {
                int64_t n = sizes[from.rows[i] & keep];
                classes += n == 0;
                sizes[from.rows[i] & keep] = n + from.times[i];
            }
            for (int32_t begin = first; begin < last; begin += SUMMED) {
                int32_t end = last - begin < SUMMED ? last : begin + SUMMED;
                double in_classes = 0.0;
                for (int32_t i = begin; i < end; i++) {
                    int64_t n = sizes[from.rows[i] & keep];
                    in_classes += (double)from.times[i] * log2_of(n, logs, length);
                    unique += n == 1;
                }
                add(&uncertainty, in_classes);
            }
        }
        if (minima) /* the first row of a class finds its size and leaves 0 */
            for (int32_t i = first; i < last; i++) {
                uint64_t within = (from.rows[i] & keep) >> bits;
                int64_t n = sizes[within];
                if (n) {
                    sizes[within] = 0;
                    least = least_of(least, n);
                    least_target = left[within] < least_target ? left[within] : least_target;
                    left[within] = 0.0;
                }
            }
        for (int32_t i = first; i < last; i++)
            sizes[(from.rows[i] & keep) >> bits] = 0;
        if (bits)
            for (int32_t i = first; i < last; i++)
                cells[from.rows[i] & keep] = 0;
    }
    found->classes[place] += classes;
    found->unique[place] += unique;
    found->least[place] = least_of(found->least[place], least);
    found->uncertainty[place] += uncertainty.sum;
    found->target[place] += target.sum;
    if (least_target < found->least_target[place])
        found->least_target[place] = least_target;
}

/* Add what two or three rows of a class have in common, by the attributes that tell them apart.
 * Inclusion and exclusion: what each two have in common, and what three have beyond that. */
static void compare(const Table *table, const uint64_t *words, const int64_t *times, int32_t rows,
                    double together[][4])
{
    int64_t bits = table->target_bits, differing = 0, ones = 0, same = 0;
    uint64_t target = ((uint64_t)1 << bits) - 1;
    double gains = 0.0, mixed = 0.0, alike = 0.0;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < i; j++) {
            int64_t d = table->differ[(words[i] ^ words[j]) >> bits];
            double gain = bits_of(times[i] + times[j], table) - bits_of(times[i], table) - bits_of(times[j], table);
            int64_t both = (times[i] == 1) + (times[j] == 1);
            together[d][0] -= 1;
            together[d][1] -= (double)both;
            together[d][2] += gain;
            differing |= d;
            gains += gain;
            ones += both;
            if ((words[i] ^ words[j]) & target) {
                together[d][3] += gain;
                mixed += gain;
            } else {
                same += 1;
                alike += gain;
            }
        }
    if (rows == 3) {
        double apart = bits_of(times[0], table) + bits_of(times[1], table) + bits_of(times[2], table);
        double all_three = bits_of(times[0] + times[1] + times[2], table);
        together[differing][0] += 1;
        together[differing][1] += (double)(ones / 2);
        together[differing][2] += all_three - apart - gains;
        if (same < 3)
            together[differing][3] += all_three - apart - alike - mixed;
    }
}

/* The lowest bits of every row, those alike within a class made one.
 * Once a record stands alone only sums are of interest. Then the classes of up to three rows are settled, as if the
 * rows stood apart, and what they have in common where they do not goes to together. */
static Classes lowest(const Table *table, Classes from, Settled *settled, double together[][4], Room *room)
{
    uint64_t keep = ((uint64_t)1 << table->below[table->attributes - table->tail]) - 1;
    int64_t *sums = room->sizes;
    int32_t few = settled->least == 1 ? FEW : 0, end = 0;
    Classes out = room->lowest;
    out.count = 0;
    out.start[0] = 0;
    for (int64_t y = 0; y < from.count; y++) {
        int32_t begin = end;
        for (int32_t i = from.start[y]; i < from.start[y + 1]; i++) {
            uint64_t word = from.rows[i] & keep;
            if (sums[word] == 0)
                out.rows[end++] = word;
            sums[word] += from.times[i];
        }
        for (int32_t i = begin; i < end; i++) {
            out.times[i] = sums[out.rows[i]];
            sums[out.rows[i]] = 0;
        }
        if (end - begin > few) {
            out.start[++out.count] = end;
            continue;
        }
        for (int32_t i = begin; i < end; i++) {
            settled->classes++;
            settled->unique += out.times[i] == 1;
            settled->uncertainty += bits_of(out.times[i], table);
        }
        compare(table, out.rows + begin, out.times + begin, end - begin, together);
        end = begin;
    }
    return out;
}

/* Find a subset, and it with up to so many of the last attributes. */
static void count_tail(const Table *table, Classes from, Settled settled, int64_t most, Found *found, int64_t place,
                       Room *room)
{
    double together[1 << MOST_TAIL][4];
    memset(together, 0, sizeof together);
    Classes low = lowest(table, from, &settled, together, room);
    for (int64_t subset = 0; subset < (int64_t)1 << table->tail; subset++) {
        uint64_t keep = ((uint64_t)1 << table->target_bits) - 1;
        int64_t chosen = 0, here = place + subset;
        for (int64_t k = 0; k < table->tail; k++)
            if (subset >> k & 1) {
                int64_t attribute = table->attributes - 1 - k;
                keep |= table->mask[attribute] << table->shift[attribute];
                chosen++;
            }
        if (chosen > most)
            continue;
        add_settled(&settled, found, here, here + 1);
        for (int64_t d = 0; d < (int64_t)1 << table->tail; d++)
            if ((d & subset) == 0) { /* what rows have in common that this subset does not tell apart */
                found->classes[here] += (int64_t)together[d][0];
                found->unique[here] += (int64_t)together[d][1];
                found->uncertainty[here] += together[d][2];
                found->target[here] += together[d][3];
            }
        count(table, low, keep, settled.least > 1, found, here, room);
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
    int64_t bits = table->target_bits;
    if (possible << bits > table->largest_table) {
        Classes *deepest = &room->classes[room->depth - 1];
        Settled now = *settled;
        tell_apart(table, *from, &now, values, deepest, room);
        count_tail(table, *deepest, now, 0, found, place, room);
        return;
    }
    uint64_t target = ((uint64_t)1 << bits) - 1;
    Classes words = *from;
    words.rows = room->words;
    for (int32_t i = 0; i < from->start[from->count]; i++)
        words.rows[i] = ((uint64_t)values[i] << bits) | (from->rows[i] & target);
    add_settled(settled, found, place, place + 1);
    count(table, words, ((uint64_t)(possible - 1) << bits) | target, settled->least > 1, found, place, room);
}

/* Find a subset and those that add up to so many (one at least) of the attributes from one on. */
EXPORTED void lattice_explore(const Table *table, const Classes *given, const Settled *settled, int64_t attribute,
                              int64_t place, int64_t most, Found *found, Room *room, int64_t depth)
{
    int64_t attributes = table->attributes;
    Classes classes = *given;
    if (classes.count == 0) {
        add_settled(settled, found, place, place + ((int64_t)1 << (attributes - attribute)));
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
