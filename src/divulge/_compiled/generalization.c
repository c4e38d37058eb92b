/* The search through the lattice of generalization levels.
 *
 * A node is a level for each attribute, and all that is kept of it are its classes: a packed key with a field for each
 * attribute, how many records have it, and for each target how often its values occur. One attribute one level up gives
 * the field another code and merges the classes whose keys are equal then. Nodes are visited depth first, so that each
 * costs the classes of its finer neighbour and never the records.
 */

#include "loops.h"

#define MOST_HELD_BACK 4 /* parts that may stay with those beyond bounds so that these keep to them */
#define MOST_CUTS 9 /* of a number in two that are tried, those nearest to the middle first */
#define WORTH_A_LOOK 8 /* nodes from which on it is looked whether all of them are too fine */
#define AHEAD 32 /* classes whose places are asked for at once */
#define RAISED(key) (((key) & clear) | ((uint64_t)up[((key) >> shift) & (uint64_t)mask] << shift))
#define SLICES 8 /* of the classes, one of which is looked at */
#define FEW_CLASSES 4096 /* that are merged sooner than looked at */
#define NEARLY 1e-9 /* gains that differ by rounding are taken for equal */
#define TINY 1e-15

/* What a class is held against; generalization/criteria.py has the same list. */
enum {
    SIZE, RISK, DISTINCT, ENTROPY_VALUES, ENTROPY_RISK, DOMINANCE, TOP_SHARE, ERROR, EQUAL, ORDERED, HIERARCHICAL,
    DISCLOSURE, GAIN, ENHANCED_GAIN, DIVERGENCE
};

/* A target: how often its values occur in the whole table, and how they lie to each other. */
typedef struct {
    int64_t values, occurring, ranks, heights;
    const double *share; /* of each value in the table */
    const int32_t *rank; /* of each value, equal ones alike; none where ranks is 0 */
    const double *below; /* by rank: the share of all values up to it */
    const int32_t *group; /* by height and value: the group that the value is in; none where heights is 0 */
    const double *group_share; /* by height and group */
} Target;

/* A bound on a number of each class. */
typedef struct {
    int64_t kind, target, parameter;
    double bound;
} Criterion;

typedef struct {
    int64_t attributes, targets, criteria, records, limit, entropy_loss, logs_length, most_codes, words;
    int64_t few; /* records below which a class is small */
    const int64_t *shift, *mask, *height; /* by attribute */
    const int64_t *table; /* by attribute: where its tables begin, a row of mask + 1 for each level */
    const int32_t *up; /* codes of one level to codes of the next */
    const double *extra; /* what the loss of a record rises by when it is suppressed, by code and level */
    const int64_t *stride; /* by attribute: how far apart nodes are that differ by one level */
    const int64_t *word; /* by attribute: which word of a key its field is in */
    const Target *target;
    const Criterion *criterion;
    const double *logs;
} Lattice;

/* The cells of a target, class by class. */
typedef struct {
    int32_t *start, *value;
    int32_t *times;
} TargetCells;

typedef struct {
    uint64_t *key; /* some words for each class */
    int64_t *size;
    TargetCells *cells; /* by target */
    int64_t count;
} Classes;

/* What is found, by node. */
typedef struct {
    int64_t *classes, *kept, *suppressed, *least, *unique;
    int64_t *small; /* records in small classes that are kept */
    double *squares, *record_bits; /* sums over classes that are kept: n n, and n log2 n */
    double *extra; /* by node and attribute */
    double *left, *least_left, *entropy, *top; /* by node and target: n H(X|y) summed and least, n H(X), most frequent */
} Found;

typedef struct {
    Classes *levels; /* by attribute: room for classes that it is raised in */
    Classes spare;
    int32_t *slots; /* of the hash table */
    int32_t *merged, *first, *order; /* by class */
    int32_t *bad;
    int64_t *sums; /* by target value or code, all zero between calls */
    double *shares;
    int32_t *seen;
} Room;

static double larger(double a, double b) { return a > b ? a : b; }

static double bits_of(int64_t n, const Lattice *lattice)
{
    return (double)n * (n < lattice->logs_length ? lattice->logs[n] : log2((double)n));
}

/* The code of an attribute in the key of a class. */
static int64_t code_of(const Lattice *lattice, const Classes *classes, int64_t y, int64_t a)
{
    return (int64_t)(classes->key[y * lattice->words + lattice->word[a]] >> lattice->shift[a]) & lattice->mask[a];
}

static inline int same_key(const uint64_t *one, const uint64_t *other, int64_t words)
{
    for (int64_t w = 0; w < words; w++)
        if (one[w] != other[w])
            return 0;
    return 1;
}

/* -- one attribute one level up ------------------------------------------------------------------------------- */

static void merge_cells(const Classes *from, Classes *to, int64_t t, Room *room)
{
    const TargetCells old = from->cells[t];
    TargetCells made = to->cells[t];
    int64_t *sums = room->sums;
    int32_t end = 0;
    for (int64_t y = 0; y < to->count; y++) {
        made.start[y] = end;
        int32_t low = room->first[y], high = room->first[y + 1];
        if (high - low == 1) {
            int32_t one = room->order[low], length = old.start[one + 1] - old.start[one];
            memcpy(made.value + end, old.value + old.start[one], (size_t)length * sizeof(int32_t));
            memcpy(made.times + end, old.times + old.start[one], (size_t)length * sizeof(int32_t));
            end += length;
            continue;
        }
        int32_t begin = end;
        for (int32_t i = low; i < high; i++) {
            int32_t one = room->order[i];
            for (int32_t c = old.start[one]; c < old.start[one + 1]; c++) {
                int32_t value = old.value[c];
                if (sums[value] == 0)
                    made.value[end++] = value;
                sums[value] += old.times[c];
            }
        }
        for (int32_t c = begin; c < end; c++) {
            made.times[c] = (int32_t)sums[made.value[c]];
            sums[made.value[c]] = 0;
        }
    }
    made.start[to->count] = end;
}

/* The classes merged by their new keys: what each old class is in. It is compiled for keys of one word by itself. */
static inline void merge_classes(const Lattice *lattice, const Classes *from, int64_t attribute, int64_t level,
                                 Classes *to, Room *room, int64_t words)
{
    int64_t shift = lattice->shift[attribute], mask = lattice->mask[attribute];
    int64_t word = words == 1 ? 0 : lattice->word[attribute];
    const int32_t *up = lattice->up + lattice->table[attribute] + level * (mask + 1);
    uint64_t clear = ~((uint64_t)mask << shift);
    int bits = 4;
    while (((int64_t)1 << bits) < 2 * from->count)
        bits++;
    int64_t last = ((int64_t)1 << bits) - 1;
    memset(room->slots, 0xff, (size_t)(last + 1) * sizeof(int32_t));
    int64_t count = 0;
    int64_t slot_of[AHEAD];
    for (int64_t begin = 0; begin < from->count; begin += AHEAD) {
        /* Slots and the keys they point to lie anywhere: those of some classes are asked for before the first is read. */
        int64_t end = begin + AHEAD < from->count ? begin + AHEAD : from->count;
        for (int64_t y = begin; y < end; y++) {
            const uint64_t *old = from->key + y * words;
            uint64_t hash = 0;
            for (int64_t w = 0; w < words; w++) {
                uint64_t key = w != word ? old[w] : RAISED(old[w]);
                hash = (hash ^ (hash >> 32) ^ key) * 0x9E3779B97F4A7C15u;
            }
            slot_of[y - begin] = (int64_t)(hash >> (64 - bits));
            FETCH(room->slots + slot_of[y - begin]);
        }
        for (int64_t y = begin; y < end; y++) {
            int32_t found = room->slots[slot_of[y - begin]];
            if (found >= 0) {
                FETCH(to->key + found * words);
                FETCH(to->size + found);
            }
        }
        for (int64_t y = begin; y < end; y++) {
            uint64_t *key = to->key + count * words; /* written where it stays if it is new */
            memcpy(key, from->key + y * words, (size_t)words * sizeof(uint64_t));
            key[word] = RAISED(key[word]);
            int64_t slot = slot_of[y - begin];
            while (room->slots[slot] >= 0 && !same_key(to->key + room->slots[slot] * words, key, words))
                slot = (slot + 1) & last;
            int32_t found = room->slots[slot];
            if (found < 0) {
                found = room->slots[slot] = (int32_t)count;
                to->size[count] = 0;
                count++;
            }
            to->size[found] += from->size[y];
            room->merged[y] = found;
        }
    }
    to->count = count;
}

static void raise(const Lattice *lattice, const Classes *from, int64_t attribute, int64_t level, Classes *to, Room *room)
{
    if (lattice->words == 1)
        merge_classes(lattice, from, attribute, level, to, room, 1);
    else
        merge_classes(lattice, from, attribute, level, to, room, lattice->words);
    int64_t count = to->count;
    if (lattice->targets == 0)
        return;
    memset(room->first, 0, (size_t)(count + 1) * sizeof(int32_t));
    for (int64_t y = 0; y < from->count; y++)
        room->first[room->merged[y] + 1]++;
    for (int64_t y = 0; y < count; y++)
        room->first[y + 1] += room->first[y];
    for (int64_t y = 0; y < from->count; y++)
        room->order[room->first[room->merged[y]]++] = (int32_t)y;
    for (int64_t y = count; y > 0; y--)
        room->first[y] = room->first[y - 1];
    room->first[0] = 0;
    for (int64_t t = 0; t < lattice->targets; t++)
        merge_cells(from, to, t, room);
}

/* -- what a class is held against ------------------------------------------------------------------------------ */

static double dominance(const int32_t *times, int64_t cells, int64_t l, int64_t n, int64_t *sums)
{
    if (cells < l)
        return INFINITY;
    int64_t tail = n, most = 0;
    for (int64_t i = 0; i < cells; i++)
        sums[i] = times[i];
    for (int64_t rank = 1; rank <= l; rank++) {
        int64_t best = 0;
        for (int64_t i = 1; i < cells; i++)
            if (sums[i] > sums[best])
                best = i;
        if (rank == 1)
            most = sums[best];
        if (rank < l)
            tail -= sums[best];
        sums[best] = 0;
    }
    for (int64_t i = 0; i < cells; i++)
        sums[i] = 0;
    return (double)most / (double)tail;
}

static double ordered(const Target *target, const int32_t *value, const int32_t *times, int64_t cells, double n,
                      double *shares)
{
    double across = 0, moved = 0;
    if (target->ranks < 2)
        return 0.0;
    for (int64_t i = 0; i < cells; i++)
        shares[target->rank[value[i]]] += times[i] / n;
    for (int64_t rank = 0; rank + 1 < target->ranks; rank++) {
        across += shares[rank];
        moved += fabs(across - target->below[rank]);
    }
    for (int64_t i = 0; i < cells; i++)
        shares[target->rank[value[i]]] = 0.0;
    return moved / (double)(target->ranks - 1);
}

static double hierarchical(const Target *target, const int32_t *value, const int32_t *times, int64_t cells, double n,
                           double *shares)
{
    double moved = 0;
    for (int64_t height = 0; height < target->heights; height++) {
        const int32_t *group = target->group + height * target->values;
        const double *overall = target->group_share + height * target->values;
        for (int64_t i = 0; i < cells; i++)
            shares[group[value[i]]] += times[i] / n;
        for (int64_t i = 0; i < cells; i++) {
            int32_t here = group[value[i]];
            moved += larger(shares[here] - overall[here], 0.0);
            shares[here] = 0.0; /* so that a group adds once: an absent share is below every other */
        }
    }
    return moved / (double)target->heights;
}

/* Whether a class is beyond a bound. */
static int beyond(const Lattice *lattice, const Criterion *one, const Classes *classes, int64_t y, Room *room)
{
    int64_t n = classes->size[y];
    if (one->kind == SIZE)
        return (double)n < one->bound;
    if (one->kind == RISK)
        return 1.0 / (double)n > one->bound;
    const Target *target = lattice->target + one->target;
    const TargetCells *all = classes->cells + one->target;
    const int32_t *value = all->value + all->start[y], *times = all->times + all->start[y];
    int64_t cells = all->start[y + 1] - all->start[y];
    double number = 0, inside = 0, size = (double)n;
    switch (one->kind) {
    case DISTINCT:
        return (double)cells < one->bound;
    case ENTROPY_VALUES:
    case ENTROPY_RISK:
        for (int64_t i = 0; i < cells; i++)
            inside += bits_of(times[i], lattice);
        number = cells == 1 ? 0.0 : larger(bits_of(n, lattice) - inside, 0.0) / size;
        return one->kind == ENTROPY_VALUES ? exp2(number) < one->bound : exp2(-number) > one->bound;
    case DOMINANCE:
        return dominance(times, cells, one->parameter, n, room->sums) > one->bound;
    case TOP_SHARE:
    case ERROR:
        for (int64_t i = 0; i < cells; i++)
            number = larger(number, (double)times[i]);
        number /= size;
        return one->kind == TOP_SHARE ? number > one->bound : 1.0 - number < one->bound;
    case EQUAL:
        for (int64_t i = 0; i < cells; i++)
            number += larger(times[i] / size - target->share[value[i]], 0.0);
        return number > one->bound;
    case ORDERED:
        return ordered(target, value, times, cells, size, room->shares) > one->bound;
    case HIERARCHICAL:
        return hierarchical(target, value, times, cells, size, room->shares) > one->bound;
    case DISCLOSURE:
        if (cells < target->occurring)
            return 1;
        for (int64_t i = 0; i < cells; i++)
            number = larger(number, fabs(log2(times[i] / size / target->share[value[i]])));
        return number > one->bound;
    case GAIN:
    case ENHANCED_GAIN:
        for (int64_t i = 0; i < cells; i++) {
            double share = target->share[value[i]], gain = (times[i] / size - share) / share;
            if (one->kind == ENHANCED_GAIN && gain > -log(share))
                return 1;
            number = larger(number, gain);
        }
        return number > one->bound;
    case DIVERGENCE:
        for (int64_t i = 0; i < cells; i++)
            number += times[i] / size * log2(times[i] / size / target->share[value[i]]);
        return larger(number, 0.0) > one->bound;
    }
    return 1;
}

/* -- what is found of a node ----------------------------------------------------------------------------------- */

static void read_targets(const Lattice *lattice, const Classes *classes, int64_t bad, int64_t left, int64_t node,
                         Found *found, Room *room)
{
    int64_t *sums = room->sums;
    for (int64_t t = 0; t < lattice->targets; t++) {
        const TargetCells *cells = classes->cells + t;
        double total = 0, least = INFINITY, top = 0, inside_all = 0;
        int64_t next = 0;
        for (int64_t y = 0; y < classes->count; y++) {
            if (next < bad && room->bad[next] == y) {
                next++;
                continue;
            }
            double inside = 0;
            int64_t n = classes->size[y];
            int32_t most = 0;
            for (int32_t c = cells->start[y]; c < cells->start[y + 1]; c++) {
                int32_t times = cells->times[c];
                inside += bits_of(times, lattice);
                most = times > most ? times : most;
                sums[cells->value[c]] += times;
            }
            double unknown = most == n ? 0.0 : larger(bits_of(n, lattice) - inside, 0.0);
            total += unknown;
            least = unknown < least ? unknown : least;
            top += most;
        }
        for (int64_t v = 0; v < lattice->target[t].values; v++) {
            inside_all += bits_of(sums[v], lattice);
            sums[v] = 0;
        }
        int64_t place = node * lattice->targets + t;
        found->left[place] = total;
        found->least_left[place] = least;
        found->entropy[place] = larger(bits_of(left, lattice) - inside_all, 0.0);
        found->top[place] = top;
    }
}

static void read_extra(const Lattice *lattice, const Classes *classes, const int64_t *level, int64_t bad,
                       int64_t suppressed, int64_t node, Found *found, Room *room)
{
    for (int64_t a = 0; a < lattice->attributes; a++) {
        int64_t mask = lattice->mask[a], *sums = room->sums, kinds = 0;
        const double *extra = lattice->extra + lattice->table[a] + level[a] * (mask + 1);
        double total = 0;
        for (int64_t i = 0; i < bad; i++) {
            int32_t y = room->bad[i];
            int64_t code = code_of(lattice, classes, y, a);
            if (!lattice->entropy_loss) {
                total += (double)classes->size[y] * extra[code];
                continue;
            }
            if (sums[code] == 0)
                room->seen[kinds++] = (int32_t)code;
            sums[code] += classes->size[y];
        }
        if (kinds > 0)
            total = bits_of(suppressed, lattice);
        for (int64_t i = 0; i < kinds; i++) {
            total -= bits_of(sums[room->seen[i]], lattice);
            sums[room->seen[i]] = 0;
        }
        found->extra[node * lattice->attributes + a] = total;
    }
}

static void read_node(const Lattice *lattice, const Classes *classes, const int64_t *level, int64_t node, Found *found,
                      Room *room)
{
    int64_t suppressed = 0, bad = 0, least = INT64_MAX, unique = 0, small = 0;
    double squares = 0, bits = 0;
    found->classes[node] = classes->count;
    for (int64_t y = 0; y < classes->count; y++) {
        int64_t n = classes->size[y], out = 0;
        for (int64_t c = 0; c < lattice->criteria && !out; c++)
            out = beyond(lattice, lattice->criterion + c, classes, y, room);
        if (out) {
            suppressed += n;
            room->bad[bad++] = (int32_t)y;
            if (suppressed > lattice->limit)
                break; /* more than may be suppressed: nothing else of the node matters */
            continue;
        }
        least = n < least ? n : least;
        unique += n == 1;
        small += n < lattice->few ? n : 0;
        squares += (double)n * (double)n;
        bits += bits_of(n, lattice);
    }
    found->suppressed[node] = suppressed;
    if (suppressed > lattice->limit)
        return;
    found->kept[node] = classes->count - bad;
    found->least[node] = least;
    found->unique[node] = unique;
    found->small[node] = small;
    found->squares[node] = squares;
    found->record_bits[node] = bits;
    read_extra(lattice, classes, level, bad, suppressed, node, found, room);
    if (suppressed < lattice->records)
        read_targets(lattice, classes, bad, lattice->records - suppressed, node, found, room);
}

/* -- depth first ------------------------------------------------------------------------------------------------ */

/* The fewest records of a class that is within the bounds on sizes; 0 where there are none. */
static int64_t least_size(const Lattice *lattice)
{
    int64_t least = 0;
    for (int64_t c = 0; c < lattice->criteria; c++) {
        const Criterion *one = lattice->criterion + c;
        if (one->kind != SIZE)
            continue;
        int64_t bound = one->bound < 1e15 ? (int64_t)ceil(one->bound) : 0;
        least = bound > least ? bound : least;
    }
    return least;
}

/* Whether too many records are in small classes at some levels of the first attributes, whatever the other levels are:
 * classes are the smaller the finer they are, and so it is enough to look at the highest levels of the others. The
 * classes are at the levels `now` of the first attributes and at level 0 of the others. One in SLICES of the classes
 * that would be made is counted, by a hash; where these alone have too many such records, all have. */
static int too_fine(const Lattice *lattice, const Classes *classes, const int64_t *now, const int64_t *wanted,
                    int64_t first, Room *room)
{
    int64_t least = least_size(lattice), nodes = 1, words = lattice->words, entries = 0, at[64], told[64], tell = 0;
    for (int64_t a = first; a < lattice->attributes; a++)
        nodes *= lattice->height[a] + 1;
    if (least < 2 || nodes < WORTH_A_LOOK || classes->count < FEW_CLASSES)
        return 0;
    for (int64_t a = 0; a < lattice->attributes; a++) {
        at[a] = entries;
        entries += lattice->mask[a] + 1;
    }
    uint64_t *top = malloc((size_t)entries * sizeof *top);
    if (!top)
        return 0;
    for (int64_t a = 0; a < lattice->attributes; a++) {
        int64_t high = a < first ? wanted[a] : lattice->height[a], mask = lattice->mask[a], different = 0;
        for (int64_t code = 0; code <= mask; code++) {
            int32_t raised = (int32_t)code;
            for (int64_t level = a < first ? now[a] : 0; level < high; level++)
                raised = lattice->up[lattice->table[a] + level * (mask + 1) + raised];
            top[at[a] + code] = (uint64_t)raised << lattice->shift[a];
            different += raised > 0;
        }
        if (different)
            told[tell++] = a;
    }
    int bits = 4;
    while (((int64_t)1 << bits) < 4 * (classes->count / SLICES + 1))
        bits++;
    int64_t last = ((int64_t)1 << bits) - 1, small = 0, count = 0;
    uint64_t *keys = room->spare.key;
    int64_t *sizes = room->spare.size;
    memset(room->slots, 0xff, (size_t)(last + 1) * sizeof(int32_t));
    for (int64_t y = 0; y < classes->count; y++) {
        uint64_t *key = keys + count * words, hash = 0;
        memset(key, 0, (size_t)words * sizeof *key);
        for (int64_t i = 0; i < tell; i++)
            key[lattice->word[told[i]]] |= top[at[told[i]] + code_of(lattice, classes, y, told[i])];
        for (int64_t w = 0; w < words; w++)
            hash = (hash ^ (hash >> 32) ^ key[w]) * 0x9E3779B97F4A7C15u;
        if ((hash >> 24) % SLICES)
            continue;
        int64_t slot = (int64_t)(hash >> (64 - bits));
        while (room->slots[slot] >= 0 && !same_key(keys + room->slots[slot] * words, key, words))
            slot = (slot + 1) & last;
        if (room->slots[slot] < 0) {
            if (2 * count > last)
                break; /* more than a slice of them: then the part that was counted says nothing */
            room->slots[slot] = (int32_t)count;
            sizes[count++] = 0;
        }
        sizes[room->slots[slot]] += classes->size[y];
    }
    free(top);
    if (2 * count > last)
        return 0;
    for (int64_t y = 0; y < count; y++)
        small += sizes[y] < least ? sizes[y] : 0;
    return small > lattice->limit;
}

/* A node that is not read is one that suppresses too much. */
static void explore(const Lattice *lattice, const Classes *classes, int64_t *level, int64_t attribute, int64_t node,
                    Found *found, Room *room)
{
    if (attribute == lattice->attributes) {
        read_node(lattice, classes, level, node, found, room);
        return;
    }
    const Classes *now = classes;
    Classes *own = room->levels + attribute;
    for (level[attribute] = 0;; level[attribute]++) {
        if (!too_fine(lattice, now, level, level, attribute + 1, room))
            explore(lattice, now, level, attribute + 1, node + level[attribute] * lattice->stride[attribute], found, room);
        if (level[attribute] == lattice->height[attribute])
            break;
        if (now == own) {
            raise(lattice, now, attribute, level[attribute], &room->spare, room);
            Classes swap = *own;
            *own = room->spare;
            room->spare = swap;
        } else
            raise(lattice, now, attribute, level[attribute], own, room);
        now = own;
    }
    level[attribute] = 0;
}

static void release(Room *room, int64_t attributes, int64_t targets)
{
    for (int64_t a = 0; room->levels && a <= attributes; a++) {
        Classes *one = a < attributes ? room->levels + a : &room->spare;
        free(one->key);
        free(one->size);
        for (int64_t t = 0; one->cells && t < targets; t++) {
            free(one->cells[t].start);
            free(one->cells[t].value);
            free(one->cells[t].times);
        }
        free(one->cells);
    }
    free(room->levels);
    free(room->slots);
    free(room->merged);
    free(room->first);
    free(room->order);
    free(room->bad);
    free(room->sums);
    free(room->shares);
    free(room->seen);
}

static int prepare(const Lattice *lattice, const Classes *base, Room *room)
{
    size_t classes = (size_t)base->count + 1, slots = 16, codes = (size_t)lattice->most_codes + 1;
    while (slots < 2 * classes)
        slots *= 2;
    memset(room, 0, sizeof(Room));
    int whole = 1;
    room->levels = calloc((size_t)lattice->attributes, sizeof(Classes));
    for (int64_t a = 0; room->levels && a <= lattice->attributes; a++) {
        Classes *one = a < lattice->attributes ? room->levels + a : &room->spare;
        one->key = malloc(classes * (size_t)lattice->words * sizeof(uint64_t));
        one->size = malloc(classes * sizeof(int64_t));
        one->cells = calloc((size_t)lattice->targets + 1, sizeof(TargetCells));
        whole = whole && one->key && one->size && one->cells;
        for (int64_t t = 0; one->cells && t < lattice->targets; t++) {
            size_t cells = (size_t)base->cells[t].start[base->count] + 1;
            one->cells[t].start = malloc(classes * sizeof(int32_t));
            one->cells[t].value = malloc(cells * sizeof(int32_t));
            one->cells[t].times = malloc(cells * sizeof(int32_t));
            whole = whole && one->cells[t].start && one->cells[t].value && one->cells[t].times;
        }
    }
    room->slots = malloc(slots * sizeof(int32_t));
    room->merged = malloc(classes * sizeof(int32_t));
    room->first = malloc((classes + 1) * sizeof(int32_t));
    room->order = malloc(classes * sizeof(int32_t));
    room->bad = malloc(classes * sizeof(int32_t));
    room->sums = calloc(codes, sizeof(int64_t));
    room->shares = calloc(codes, sizeof(double));
    room->seen = malloc(codes * sizeof(int32_t));
    return whole && room->levels && room->slots && room->merged && room->first && room->order && room->bad &&
           room->sums && room->shares && room->seen;
}

/* Find the nodes whose levels are between two bounds, all other attributes free: 0, or 1 where memory ran out.
 *
 * The first attributes are raised to the levels of `from` before the search begins; it goes on over the attributes
 * from `first` on. */
EXPORTED int64_t generalization_explore(const Lattice *lattice, const Classes *base, const int64_t *from, int64_t first,
                                        Found *found)
{
    Room room;
    int64_t level[64], node = 0, missing = 1;
    if (prepare(lattice, base, &room)) {
        const Classes *now = base;
        memset(level, 0, sizeof(level));
        int hopeless = first > 0 && too_fine(lattice, base, level, from, first, &room);
        for (int64_t a = 0; a < first && !hopeless; a++) {
            Classes *own = room.levels + a;
            for (; level[a] < from[a]; level[a]++) {
                if (now == own) {
                    raise(lattice, now, a, level[a], &room.spare, &room);
                    Classes swap = *own;
                    *own = room.spare;
                    room.spare = swap;
                } else
                    raise(lattice, now, a, level[a], own, &room);
                now = own;
            }
            node += level[a] * lattice->stride[a];
        }
        if (!hopeless)
            explore(lattice, now, level, first, node, found, &room);
        missing = 0;
    }
    release(&room, lattice->attributes, lattice->targets);
    return missing;
}

/* -- local recoding ---------------------------------------------------------------------------------------------- */

/* Attributes that are split where their numbers lie, not at levels; laid out as the levels are, in rows of level 0. */
typedef struct {
    const int64_t *split; /* by attribute: whether it is one */
    const int32_t *rank; /* of each code among the numbers; -1 of a value that is none */
    const double *lower, *upper; /* a range from one number to another costs upper - lower, or log2 of that */
    double log_unit; /* what one bit costs a record; 0 where the difference is the cost */
} Numbers;

/* What the loops of local recoding read beside the lattice. */
typedef struct {
    const int32_t *at; /* by attribute, level and code of a value: its code at the level */
    const double *factor; /* what each attribute counts for */
    const Numbers *numbers;
    int32_t *members; /* classes of the values themselves, group by group */
    int32_t *levels; /* by class and attribute: where it ended */
    int32_t *part_of; /* by class: the part it ended in */
    int32_t parts_made;
    int32_t *bounds; /* where parts begin once they are in order */
    Classes parts;
} Local;

static int32_t code_at(const Lattice *lattice, const Local *local, const Classes *base, int32_t y, int64_t a, int64_t level)
{
    return local->at[lattice->table[a] + level * (lattice->mask[a] + 1) + code_of(lattice, base, y, a)];
}

/* What members are parted by: the code at a level, or the rank of a number where the level is below 0. */
static int32_t parted_by(const Lattice *lattice, const Local *local, const Classes *base, int32_t y, int64_t a,
                         int64_t level)
{
    if (level >= 0)
        return code_at(lattice, local, base, y, a, level);
    return local->numbers->rank[lattice->table[a] + code_of(lattice, base, y, a)];
}

static int by_rank(const void *one, const void *other)
{
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    return (a > b) - (a < b);
}

/* The members from low to high in the order of what they are parted by; how many kinds of that there are. */
static int64_t part(const Lattice *lattice, const Local *local, const Classes *base, int64_t low, int64_t high,
                    int64_t a, int64_t level, Room *room)
{
    int64_t *sums = room->sums, kinds = 0;
    for (int64_t i = low; i < high; i++) {
        int32_t code = parted_by(lattice, local, base, local->members[i], a, level);
        if (sums[code]++ == 0)
            room->seen[kinds++] = code;
    }
    if (level < 0)
        qsort(room->seen, (size_t)kinds, sizeof(int32_t), by_rank);
    int32_t end = 0;
    for (int64_t k = 0; k < kinds; k++) {
        room->first[k] = end;
        end += (int32_t)sums[room->seen[k]];
        sums[room->seen[k]] = room->first[k] + 1; /* above 0, so that none is taken for unseen */
    }
    room->first[kinds] = end;
    for (int64_t i = low; i < high; i++) {
        int32_t one = local->members[i];
        room->order[sums[parted_by(lattice, local, base, one, a, level)]++ - 1] = one;
    }
    for (int64_t k = 0; k < kinds; k++)
        sums[room->seen[k]] = 0;
    return kinds;
}

static int any_beyond(const Lattice *lattice, const Classes *classes, int64_t y, Room *room)
{
    for (int64_t c = 0; c < lattice->criteria; c++)
        if (beyond(lattice, lattice->criterion + c, classes, y, room))
            return 1;
    return 0;
}

/* Parts that lie one after the other in room->order as classes of their own. */
static void count_parts(const Lattice *lattice, const Classes *base, Local *local, int64_t kinds, Room *room)
{
    Classes *parts = &local->parts;
    parts->count = kinds;
    for (int64_t k = 0; k < kinds; k++) {
        parts->size[k] = 0;
        for (int32_t i = room->first[k]; i < room->first[k + 1]; i++)
            parts->size[k] += base->size[room->order[i]];
    }
    for (int64_t t = 0; t < lattice->targets; t++)
        merge_cells(base, parts, t, room);
}

/* Put parts in order: those beyond bounds first, then the others by size; how many are beyond. */
static int64_t order_parts(const Lattice *lattice, Local *local, int64_t kinds, int64_t members, Room *room)
{
    int32_t *turn = room->bad;
    int64_t failing = 0, *size = local->parts.size;
    for (int64_t k = 0; k < kinds; k++) {
        int out = any_beyond(lattice, &local->parts, k, room);
        failing += out;
        size[k] = out ? 0 : size[k];
        int64_t place = k;
        for (; place > 0; place--) {
            int32_t other = turn[place - 1];
            if (size[other] < size[k] || (size[other] == size[k] && room->seen[other] < room->seen[k]))
                break;
            turn[place] = other;
        }
        turn[place] = (int32_t)k;
    }
    int32_t end = 0;
    for (int64_t k = 0; k < kinds; k++) {
        int32_t from = room->first[turn[k]], length = room->first[turn[k] + 1] - from;
        memcpy(room->merged + end, room->order + from, (size_t)length * sizeof(int32_t));
        local->bounds[k] = end;
        end += length;
    }
    local->bounds[kinds] = end;
    memcpy(room->order, room->merged, (size_t)members * sizeof(int32_t));
    return failing;
}

/* A group in parts by one attribute one level down: room->order begins with those that have to stay as they are.
 *
 * Parts beyond bounds stay together, with as few others, the smallest first, as make them keep to the bounds. What
 * comes is how many members stay; -1 where all would. */
static int64_t split(const Lattice *lattice, const Classes *base, Local *local, int64_t low, int64_t high, int64_t a,
                     int64_t level, Room *room)
{
    int64_t kinds = part(lattice, local, base, low, high, a, level, room);
    count_parts(lattice, base, local, kinds, room);
    int64_t failing = order_parts(lattice, local, kinds, high - low, room);
    if (failing == 0)
        return 0;
    for (int64_t staying = failing; staying < kinds && staying <= failing + MOST_HELD_BACK; staying++) {
        room->first[0] = 0;
        room->first[1] = local->bounds[staying];
        count_parts(lattice, base, local, 1, room);
        if (!any_beyond(lattice, &local->parts, 0, room))
            return local->bounds[staying];
    }
    return -1;
}

static double saved(const Lattice *lattice, const Local *local, const Classes *base, const int32_t *members,
                    int64_t count, int64_t a, int64_t level)
{
    const double *extra = lattice->extra + lattice->table[a] + level * (lattice->mask[a] + 1);
    const double *finer = extra - (lattice->mask[a] + 1);
    double gain = 0.0;
    for (int64_t i = 0; i < count; i++)
        gain += (double)base->size[members[i]] * (finer[code_at(lattice, local, base, members[i], a, level - 1)] -
                                                  extra[code_at(lattice, local, base, members[i], a, level)]);
    return gain * local->factor[a];
}

/* What the range of an attribute's numbers costs each of some members, which are in the order of the numbers. */
static double range_cost(const Lattice *lattice, const Local *local, const Classes *base, const int32_t *members,
                         int64_t count, int64_t a)
{
    const Numbers *numbers = local->numbers;
    int64_t low = lattice->table[a] + code_of(lattice, base, members[0], a);
    int64_t high = lattice->table[a] + code_of(lattice, base, members[count - 1], a);
    double wide = numbers->upper[high] - numbers->lower[low];
    return numbers->log_unit > 0 ? log2(wide) * numbers->log_unit : wide;
}

static int64_t records_in(const Classes *base, const int32_t *members, int64_t count)
{
    int64_t records = 0;
    for (int64_t i = 0; i < count; i++)
        records += base->size[members[i]];
    return records;
}

/* A group cut in two by the numbers of an attribute, as near to the middle as both halves keep to the bounds.
 *
 * room->order has the members in the order of their numbers then. What comes is how many are in the lower half, -1
 * where there is no such cut; and what is gained. */
static int64_t cut(const Lattice *lattice, const Classes *base, Local *local, int64_t low, int64_t high, int64_t a,
                   double *gain, Room *room)
{
    for (int64_t i = low; i < high; i++)
        if (parted_by(lattice, local, base, local->members[i], a, -1) < 0)
            return -1; /* a missing value lies nowhere among the numbers */
    int64_t kinds = part(lattice, local, base, low, high, a, -1, room), count = high - low;
    memcpy(local->bounds, room->first, (size_t)(kinds + 1) * sizeof(int32_t));
    int64_t half = records_in(base, room->order, count), below = 0, middle = kinds;
    for (int64_t k = 1; k < kinds; k++) { /* the first boundary at or beyond the middle */
        below += records_in(base, room->order + local->bounds[k - 1], local->bounds[k] - local->bounds[k - 1]);
        if (2 * below >= half) {
            middle = k;
            break;
        }
    }
    for (int64_t tried = 0; tried < MOST_CUTS; tried++) { /* middle, one before, one after, two before, ... */
        int64_t k = middle + (tried % 2 ? -(tried + 1) / 2 : tried / 2);
        if (k < 1 || k >= kinds)
            continue;
        int32_t lower = local->bounds[k];
        room->first[0] = 0;
        room->first[1] = lower;
        room->first[2] = (int32_t)count;
        count_parts(lattice, base, local, 2, room);
        if (any_beyond(lattice, &local->parts, 0, room) || any_beyond(lattice, &local->parts, 1, room))
            continue;
        double before = range_cost(lattice, local, base, room->order, count, a);
        double first = range_cost(lattice, local, base, room->order, lower, a);
        double second = range_cost(lattice, local, base, room->order + lower, count - lower, a);
        *gain = local->factor[a] * ((double)records_in(base, room->order, lower) * (before - first) +
                                    (double)records_in(base, room->order + lower, count - lower) * (before - second));
        return lower;
    }
    return -1;
}

/* A group made finer, by the attribute that gains most, as long as every part keeps to the bounds.
 *
 * That is one attribute one level down, or its numbers cut in two. */
static void specialize(const Lattice *lattice, const Classes *base, Local *local, int64_t low, int64_t high,
                       const int64_t *now, Room *room)
{
    int64_t best = -1, level[64];
    double most = 0.0;
    for (int64_t a = 0; a < lattice->attributes; a++) {
        if (local->numbers->split[a]) {
            double gain = 0.0;
            if (cut(lattice, base, local, low, high, a, &gain, room) < 0 || gain <= most * (1 + NEARLY) + TINY)
                continue;
            best = a;
            most = gain;
            continue;
        }
        if (now[a] == 0)
            continue;
        double gain = saved(lattice, local, base, local->members + low, high - low, a, now[a]);
        if (gain <= most * (1 + NEARLY) + TINY)
            continue;
        int64_t staying = split(lattice, base, local, low, high, a, now[a] - 1, room);
        if (staying < 0)
            continue;
        if (staying > 0)
            gain = saved(lattice, local, base, room->order + staying, high - low - staying, a, now[a]);
        if (gain <= most * (1 + NEARLY) + TINY)
            continue;
        best = a;
        most = gain;
    }
    if (best < 0) {
        for (int64_t i = low; i < high; i++) {
            local->part_of[local->members[i]] = local->parts_made;
            for (int64_t a = 0; a < lattice->attributes; a++)
                local->levels[local->members[i] * lattice->attributes + a] = (int32_t)now[a];
        }
        local->parts_made++;
        return;
    }
    if (local->numbers->split[best]) {
        int64_t middle = low + cut(lattice, base, local, low, high, best, &most, room);
        memcpy(local->members + low, room->order, (size_t)(high - low) * sizeof(int32_t));
        specialize(lattice, base, local, low, middle, now, room);
        specialize(lattice, base, local, middle, high, now, room);
        return;
    }
    memcpy(level, now, (size_t)lattice->attributes * sizeof(int64_t));
    level[best]--;
    int64_t staying = low + split(lattice, base, local, low, high, best, level[best], room);
    memcpy(local->members + low, room->order, (size_t)(high - low) * sizeof(int32_t));
    if (staying > low)
        specialize(lattice, base, local, low, staying, now, room);
    for (int64_t start = staying, end; start < high; start = end) {
        int32_t code = code_at(lattice, local, base, local->members[start], best, level[best]);
        for (end = start + 1; end < high; end++)
            if (code_at(lattice, local, base, local->members[end], best, level[best]) != code)
                break;
        specialize(lattice, base, local, start, end, level, room);
    }
}

/* Groups of classes, each with its levels, made finer as far as every part is within bounds: 0, or 1 without memory. */
EXPORTED int64_t generalization_specialize(const Lattice *lattice, const Classes *base, const int32_t *at,
                                           const double *factor, const Numbers *numbers, int32_t *members,
                                           const int64_t *start, int64_t groups, const int64_t *from, int32_t *levels,
                                           int32_t *part_of)
{
    Room room;
    int64_t missing = 1;
    if (prepare(lattice, base, &room)) {
        Local local = {at, factor, numbers, members, levels, part_of, 0, room.slots, room.spare};
        for (int64_t g = 0; g < groups; g++)
            specialize(lattice, base, &local, start[g], start[g + 1], from + g * lattice->attributes, &room);
        missing = 0;
    }
    release(&room, lattice->attributes, lattice->targets);
    return missing;
}
