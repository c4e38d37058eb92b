/* Which values are a large share of a set: the cells of sets, put together as they are asked about, in one pass. */

#include "loops.h"

#define NOT_IN_ORDER -1
#define OUTSIDE -2
#define NEARLY (1 - 1e-12)
enum { EACH, BY_TWO, AT_MOST, AT_LEAST };

/* Numbers and counts brought into the order of the numbers. */
static void in_order(int64_t *number, int64_t *count, int64_t many)
{
    static const int64_t gaps[] = {3937, 1182, 350, 103, 31, 9, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int64_t i = gaps[g]; i < many; i++) {
            int64_t one = number[i], held = count[i], at = i;
            for (; at >= gaps[g] && number[at - gaps[g]] > one; at -= gaps[g]) {
                number[at] = number[at - gaps[g]];
                count[at] = count[at - gaps[g]];
            }
            number[at] = one;
            count[at] = held;
        }
}

/* The cells that are at least the share `least` of their set; gives how many there are.
 *
 * Cells come set by set, values of a set in their order. `number` says what each value is asked about as (NULL: as
 * itself), `unknown` which numbers say nothing and make sets smaller: their sizes then come in `known`, all 0 before.
 * Of the first `bands` numbers two neighbours are asked as one, or each with all before or after it, other numbers left
 * out, and of these the last set comes first. Rows of `found` have so much room: owner, number, count, size, and for
 * limits the number that comes next in its set. `room` has three numbers for each number, the first all -1. */
EXPORTED int64_t shares_reaching(const int64_t *size, int64_t sets, const int64_t *owner, const int64_t *value,
                                  const int64_t *count, int64_t cells, const int64_t *number, int64_t values,
                                  const uint8_t *unknown, const double *least, int64_t numbers, int64_t bands,
                                  int64_t way, int64_t *known, int64_t *room, int64_t *found, int64_t length)
{
    int64_t *place = room, *own = room + numbers, *held = own + numbers, many = 0, last = bands - 1;
    int64_t *owners = found, *told = owners + length, *counts = told + length, *sizes = counts + length;
    int64_t *nexts = way >= AT_MOST ? sizes + length : NULL;
#define TELL(which, records)                                                                                            \
    do {                                                                                                                \
        int64_t number_told = (which), there = (records) < people ? (records) : people;                                 \
        double needed = least[number_told];                                                                             \
        if ((double)there < needed * (double)people * NEARLY)                                                           \
            break; /* by so much that rounding does not matter */                                                       \
        if (!((double)there / (double)people < needed)) {                                                   \
            owners[many] = set;                                                                                         \
            told[many] = number_told;                                                                                   \
            counts[many] = there;                                                                                       \
            sizes[many++] = people;                                                                                     \
        }                                                                                                               \
    } while (0)
    for (int64_t done = 0; done < cells;) {
        int64_t begin = done, end = done + 1;
        if (way == AT_LEAST) {
            end = cells - done;
            begin = end - 1;
            while (begin > 0 && owner[begin - 1] == owner[begin])
                begin--;
        } else
            while (end < cells && owner[end] == owner[begin])
                end++;
        int64_t set = owner[begin];
        if (begin > 0 && owner[begin - 1] > set)
            return NOT_IN_ORDER;
        if (set < 0 || set >= sets)
            return OUTSIDE;
        done += end - begin;
        int64_t length_here = 0, rising = 1, total = 0;
        for (int64_t i = begin; i < end; i++) {
            if (value[i] < 0 || value[i] >= values)
                return OUTSIDE;
            if (i > begin && value[i] <= value[i - 1])
                return NOT_IN_ORDER;
            int64_t one = number ? number[value[i]] : value[i];
            if (one < 0 || one >= numbers)
                return OUTSIDE;
            if (unknown && unknown[one])
                continue;
            total += count[i];
            if (length_here > 0 && one == own[length_here - 1]) {
                held[length_here - 1] += count[i];
                continue;
            }
            if (rising && length_here > 0 && one < own[length_here - 1]) { /* from here on, one may have come before */
                rising = 0;
                for (int64_t j = 0; j < length_here; j++)
                    place[own[j]] = j;
            }
            if (!rising && place[one] >= 0) {
                held[place[one]] += count[i];
                continue;
            }
            own[length_here] = one;
            held[length_here] = count[i];
            if (!rising)
                place[one] = length_here;
            length_here++;
        }
        if (!rising) {
            for (int64_t i = 0; i < length_here; i++)
                place[own[i]] = -1;
            in_order(own, held, length_here);
        }
        int64_t people = size[set];
        if (unknown)
            known[set] = people = total < people ? total : people;
        if (way == EACH)
            for (int64_t i = 0; i < length_here; i++)
                TELL(own[i], held[i]);
        else if (way == BY_TWO)
            for (int64_t i = 0; i < length_here; i++) {
                int64_t one = own[i], two = i + 1 < length_here && own[i + 1] == one + 1;
                if (one >= bands) {
                    TELL(one, held[i]);
                    continue;
                }
                if (one > 0 && (i == 0 || own[i - 1] != one - 1))
                    TELL(one - 1, held[i]);
                if (one < last)
                    TELL(one, held[i] + (two ? held[i + 1] : 0));
            }
        else if ((double)total <= (double)people * (1 + 1e-9)) { /* else someone has several values */
            int64_t banded = 0, reached = 0;
            while (banded < length_here && own[banded] < bands)
                banded++;
            for (int64_t i = 0; i < banded; i++) {
                int64_t at = way == AT_MOST ? i : banded - 1 - i, before = many;
                reached += held[at];
                TELL(own[at], reached);
                if (many > before)
                    nexts[before] = way == AT_MOST ? (at + 1 < banded ? own[at + 1] : bands) : at > 0 ? own[at - 1] : -1;
            }
        }
    }
    return many;
#undef TELL
}
