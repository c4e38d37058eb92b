/* The search for minimal sample uniques: the smallest sets of attributes that make a record unique.
 *
 * Sets are visited depth first. Rows are kept class by class; one more attribute splits the classes, and a row that
 * comes to be alone is a candidate for the set that did it and leaves the branch, since no larger set is minimal.
 * A minimal set is always found on its own branch, because no set before it on the branch makes the row unique; what
 * else is found contains a smaller set of another branch, and is filtered out at the end.
 */

#include "loops.h"

typedef struct {
    int64_t rows, attributes, largest, capacity;
    const int32_t *codes; /* attribute after attribute */
    const uint8_t *once; /* by row: whether it stands for one record */
    int32_t *order; /* by depth: the rows of every class, class after class */
    int32_t *start; /* by depth: where classes begin, and where the last one ends */
    int64_t *classes; /* by depth */
    int32_t *size, *to, *seen; /* by code; sizes are all zero between classes */
    int32_t *row; /* candidates: the row, and its set of attributes */
    uint64_t *set;
    int64_t found;
} Search;

static void candidate(Search *search, int32_t row, uint64_t set)
{
    if (!search->once[row])
        return;
    if (search->found < search->capacity) {
        search->row[search->found] = row;
        search->set[search->found] = set;
    }
    search->found++;
}

static int32_t *order_at(const Search *search, int64_t depth) { return search->order + depth * search->rows; }
static int32_t *start_at(const Search *search, int64_t depth) { return search->start + depth * (search->rows / 2 + 2); }

/* Split the classes of one depth by an attribute, into those of the next depth where they are still needed. */
static void split(Search *search, int64_t depth, int64_t attribute, uint64_t set, int candidates, int deeper)
{
    const int32_t *codes = search->codes + attribute * search->rows;
    const int32_t *from = order_at(search, depth), *start = start_at(search, depth);
    int32_t *into = order_at(search, depth + 1), *begin = start_at(search, depth + 1);
    int32_t *size = search->size, *to = search->to, *seen = search->seen, end = 0;
    int64_t classes = 0;
    begin[0] = 0;
    for (int64_t y = 0; y < search->classes[depth]; y++) {
        int32_t first = start[y], last = start[y + 1];
        if (last - first == 2) { /* most classes have two rows in the end */
            int32_t one = from[first], other = from[first + 1];
            if (codes[one] == codes[other]) {
                if (deeper) {
                    into[end] = one;
                    into[end + 1] = other;
                    end += 2;
                    begin[++classes] = end;
                }
            } else if (candidates) {
                candidate(search, one, set);
                candidate(search, other, set);
            }
            continue;
        }
        int64_t kinds = 0;
        for (int32_t i = first; i < last; i++) {
            int32_t code = codes[from[i]];
            if (size[code]++ == 0)
                seen[kinds++] = code;
        }
        if (deeper)
            for (int64_t k = 0; k < kinds; k++) {
                int32_t code = seen[k];
                to[code] = end;
                if (size[code] > 1) {
                    end += size[code];
                    begin[++classes] = end;
                }
            }
        for (int32_t i = first; i < last; i++) {
            int32_t row = from[i], code = codes[row];
            if (size[code] == 1) {
                if (candidates)
                    candidate(search, row, set);
            } else if (deeper)
                into[to[code]++] = row;
        }
        for (int64_t k = 0; k < kinds; k++)
            size[seen[k]] = 0;
    }
    search->classes[depth + 1] = classes;
}

/* Visit the sets that add attributes from one on to the set of a depth, which has so many attributes. */
static void visit(Search *search, int64_t depth, int64_t attribute, uint64_t set, int64_t size)
{
    for (int64_t a = attribute; a < search->attributes; a++) {
        uint64_t finer = set | (uint64_t)1 << a;
        int deeper = a + 1 < search->attributes && size + 1 < search->largest;
        split(search, depth, a, finer, 1, deeper);
        if (deeper && search->classes[depth + 1])
            visit(search, depth + 1, a + 1, finer, size + 1);
    }
}

/* Find the candidates whose first attributes are these two, or the first alone where the second is negative. */
EXPORTED void uniques_search(Search *search, int64_t first, int64_t second)
{
    int32_t *order = order_at(search, 0), *start = start_at(search, 0);
    for (int64_t i = 0; i < search->rows; i++)
        order[i] = (int32_t)i;
    start[0] = 0;
    start[1] = (int32_t)search->rows;
    search->classes[0] = 1;
    search->found = 0;
    uint64_t set = (uint64_t)1 << first;
    if (second < 0) {
        split(search, 0, first, set, 1, 0);
        return;
    }
    split(search, 0, first, set, 0, 1);
    set |= (uint64_t)1 << second;
    int deeper = second + 1 < search->attributes && search->largest > 2;
    split(search, 1, second, set, 1, deeper);
    if (deeper && search->classes[2])
        visit(search, 2, second + 1, set, 2);
}

static int smaller(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    int bits = __builtin_popcountll(x) - __builtin_popcountll(y);
    return bits ? bits : (x > y) - (x < y);
}

/* Of the candidates of each row keep those that contain no other; start holds where a row's candidates begin, and
 * afterwards kept how many are left of them, which stand first. */
EXPORTED void uniques_minimal(const int64_t *start, int64_t rows, uint64_t *set, int64_t *kept)
{
    for (int64_t row = 0; row < rows; row++) {
        uint64_t *own = set + start[row];
        int64_t given = start[row + 1] - start[row], left = 0;
        if (given > 1)
            qsort(own, (size_t)given, sizeof *own, smaller);
        for (int64_t i = 0; i < given; i++) {
            int minimal = 1;
            for (int64_t j = 0; minimal && j < left; j++)
                minimal = (own[j] & own[i]) != own[j];
            if (minimal)
                own[left++] = own[i];
        }
        kept[row] = left;
    }
}

/* Bring the candidates of each row together; place holds where the next one of a row goes. */
EXPORTED void uniques_gather(const int32_t *row, const uint64_t *set, int64_t length, int64_t *place, uint64_t *out)
{
    for (int64_t i = 0; i < length; i++)
        out[place[row[i]]++] = set[i];
}
