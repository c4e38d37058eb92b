/* The ranks of words among those that occur.
 *
 * Words below a low bound are marked in a row of bits, and ranked by counting marks. Others are sorted by one digit after the other, the lowest first, with the rows they came from; a digit that all
 * words share is left out. Words that are alike then stand beside each other, in the order of their rows. Words that come in
 * order are not sorted.
 */

#include "loops.h"

#define DIGIT 11
#define DIGITS 6 /* of DIGIT bits, which together are more than a word has */
#define PLACES (1 << DIGIT)
#define AHEAD 24 /* words whose marks are asked for before they are read */

/* Sort words and rows, each of which has room for two times as many; gives which half they end in. */
static int64_t sorted(const uint64_t *words, int64_t count, uint64_t *word, uint32_t *row, int64_t *sizes)
{
    int64_t half = -1; /* nothing moved yet: the words as given, rows from 0 on */
    memset(sizes, 0, DIGITS * PLACES * sizeof *sizes);
    for (int64_t i = 0; i < count; i++)
        for (int64_t d = 0; d < DIGITS; d++)
            sizes[d * PLACES + ((words[i] >> (d * DIGIT)) & (PLACES - 1))]++;
    for (int64_t d = 0; d < DIGITS; d++) {
        int64_t *size = sizes + d * PLACES, before = 0, up = d * DIGIT;
        if (size[(words[0] >> up) & (PLACES - 1)] == count)
            continue;
        for (int64_t i = 0; i < PLACES; i++) {
            int64_t here = size[i];
            size[i] = before;
            before += here;
        }
        const uint64_t *from = half < 0 ? words : word + half * count;
        const uint32_t *of = row + (half < 0 ? 0 : half) * count;
        int64_t next = half == 0 ? 1 : 0;
        uint64_t *to = word + next * count;
        uint32_t *rows = row + next * count;
        for (int64_t i = 0; i < count; i++) {
            int64_t place = size[(from[i] >> up) & (PLACES - 1)]++;
            to[place] = from[i];
            rows[place] = half < 0 ? (uint32_t)i : of[i];
        }
        half = next;
    }
    return half;
}

/* The ranks of words that come in order, and the first row of each; gives how many there are, or -1 where they do not. */
static int64_t ranked_in_order(const uint64_t *words, int64_t count, int64_t *rank, int64_t *first)
{
    int64_t last = 0;
    rank[0] = first[0] = 0;
    for (int64_t i = 1; i < count; i++) {
        if (words[i] < words[i - 1])
            return -1;
        if (words[i] > words[i - 1])
            first[++last] = i;
        rank[i] = last;
    }
    return last + 1;
}

/* The rank of every word, and the first row of each rank; gives how many there are. */
EXPORTED int64_t ranking_ranks(const uint64_t *words, int64_t count, uint64_t *word, uint32_t *row, int64_t *sizes,
                               int64_t *rank, int64_t *first)
{
    if (count == 0)
        return 0;
    int64_t given = ranked_in_order(words, count, rank, first);
    if (given >= 0)
        return given;
    int64_t half = sorted(words, count, word, row, sizes), last = 0;
    const uint64_t *ordered = word + half * count;
    const uint32_t *rows = row + half * count;
    first[0] = rows[0];
    for (int64_t i = 0; i < count; i++) {
        if (i && ordered[i] != ordered[i - 1])
            first[++last] = rows[i];
        rank[rows[i]] = last;
    }
    return last + 1;
}

INLINED uint64_t word_at(const void *words, int64_t bytes, int64_t i)
{
    return bytes == 4 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

/* The rank of every word among marks, with the first row of each rank where there is room for it. */
INLINED void look_up(const void *words, int64_t bytes, int64_t count, const uint64_t *marks, const uint32_t *before,
                     int64_t *rank, int64_t *first)
{
    for (int64_t i = count - 1; i >= 0; i--) { /* from the last on, so that the first row stays */
        uint64_t word = word_at(words, bytes, i), place = word >> 6;
        if (i >= AHEAD) {
            uint64_t soon = word_at(words, bytes, i - AHEAD) >> 6;
            FETCH(marks + soon);
            FETCH(before + soon);
        }
        uint64_t lower = marks[place] & (((uint64_t)1 << (word & 63)) - 1);
        rank[i] = before[place] + __builtin_popcountll(lower);
        if (first)
            first[rank[i]] = i;
    }
}

/* Mark every word; says how many there are, and before every 64 bits how many in those before. */
WIDER EXPORTED int64_t ranking_mark(const void *words, int64_t bytes, int64_t count, int64_t places, uint64_t *marks,
                                    uint32_t *before)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t word = word_at(words, bytes, i);
        if (i + AHEAD < count)
            FETCH(marks + (word_at(words, bytes, i + AHEAD) >> 6));
        marks[word >> 6] |= (uint64_t)1 << (word & 63);
    }
    int64_t found = 0;
    for (int64_t place = 0; place < places; place++) {
        before[place] = (uint32_t)found;
        found += __builtin_popcountll(marks[place]);
    }
    return found;
}

WIDER EXPORTED void ranking_look_up(const void *words, int64_t bytes, int64_t count, const uint64_t *marks,
                                    const uint32_t *before, int64_t *rank, int64_t *first)
{
    if (bytes == 4)
        look_up(words, 4, count, marks, before, rank, first);
    else
        look_up(words, 8, count, marks, before, rank, first);
}
