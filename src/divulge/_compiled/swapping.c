/* Rank swapping: records in the order of their ranks, and a partner for each of them within a window, in one pass.
 *
 * Ranks that are free are bits of words; a bit of the next level says whether a word has any, and so on up to a single
 * word.
 */

#include "loops.h"

#define LEVELS 6 /* of 64 words each: more than there can be ranks */
#define SOON 24 /* records later */

/* The highest and the lowest bit of a word that has one. */
static int highest(uint64_t word)
{
    return 63 - __builtin_clzll(word);
}

static int lowest(uint64_t word)
{
    return __builtin_ctzll(word);
}

typedef struct {
    uint64_t *level[LEVELS];
    int count;
} FreeRanks;

/* All ranks free, in room for one bit of each level for every 64 of the one below. */
static FreeRanks all_free(uint64_t *room, int64_t length)
{
    FreeRanks free = {{0}, 0};
    do {
        int64_t words = (length + 63) / 64;
        free.level[free.count++] = room;
        memset(room, 255, (size_t)words * sizeof *room);
        if (length % 64)
            room[words - 1] = ((uint64_t)1 << length % 64) - 1;
        room += words;
        length = words;
    } while (length > 1);
    return free;
}

static void leave(const FreeRanks *free, int64_t rank)
{
    for (int l = 0; l < free->count; l++) {
        uint64_t *word = &free->level[l][rank >> 6];
        *word &= ~((uint64_t)1 << (rank & 63));
        if (*word)
            return;
        rank >>= 6;
    }
}

static int is_free(const FreeRanks *free, int64_t rank)
{
    return free->level[0][rank >> 6] >> (rank & 63) & 1;
}

/* The highest free rank up to a bound; -1 where there is none. */
static int64_t free_up_to(const FreeRanks *free, int64_t bound)
{
    for (int l = 0; l < free->count && bound >= 0; l++) {
        uint64_t bits = free->level[l][bound >> 6] & (~(uint64_t)0 >> (63 - (bound & 63)));
        if (bits) {
            int64_t at = (bound & ~(int64_t)63) + highest(bits);
            while (l--)
                at = at * 64 + highest(free->level[l][at]);
            return at;
        }
        bound = (bound >> 6) - 1;
    }
    return -1;
}

/* The lowest free rank from a bound on; -1 where there is none. */
static int64_t free_from(const FreeRanks *free, int64_t bound, int64_t length)
{
    for (int l = 0; l < free->count && bound < length; l++) {
        uint64_t bits = free->level[l][bound >> 6] & (~(uint64_t)0 << (bound & 63));
        if (bits) {
            int64_t at = (bound & ~(int64_t)63) + lowest(bits);
            while (l--)
                at = at * 64 + lowest(free->level[l][at]);
            return at;
        }
        bound = (bound >> 6) + 1;
        length = (length + 63) / 64;
    }
    return -1;
}

/* From the lowest rank on, each that is free draws a rank above it within the window, by the number in [0, 1) of the
 * record that has it. The free rank there or next below, otherwise next above within the window, is its partner. Says
 * for each record which one its value comes from. */
EXPORTED void swap_ranks(const uint32_t *order, const double *uniform, int64_t length, int64_t window, uint64_t *room,
                         uint32_t *rows)
{
    FreeRanks free = all_free(room, length);
    for (int64_t rank = 0; rank < length; rank++) {
        if (rank + SOON < length)
            FETCH(&uniform[order[rank + SOON]]);
        if (!is_free(&free, rank))
            continue;
        uint32_t record = order[rank];
        rows[record] = record;
        leave(&free, rank); /* those below it are taken: what is free lies above */
        int64_t up = 1 + (int64_t)(uniform[record] * (double)window);
        int64_t drawn = rank + (up < window ? up : window); /* a product may be rounded up */
        int64_t other = free_up_to(&free, drawn < length ? drawn : length - 1);
        if (other < 0)
            other = free_from(&free, drawn + 1, length);
        if (other >= 0 && other <= rank + window) {
            rows[record] = order[other];
            rows[order[other]] = record;
            leave(&free, other);
        }
    }
}

/* Records in the order of their ranks, equal ranks in that of their ties, equal ties in that of the records. Ties are
 * drawn evenly from [0, 1): each says about where a record is among those of its rank, and few fall to one place. There
 * is room for one count more than there are ranks, and than there are records. */
EXPORTED void rank_order(const uint32_t *rank, int64_t ranks, const double *tie, int64_t length, int32_t *first,
                         int32_t *begin, uint32_t *order)
{
    memset(first, 0, (size_t)(ranks + 1) * sizeof *first);
    memset(begin, 0, (size_t)(length + 1) * sizeof *begin);
    for (int64_t i = 0; i < length; i++)
        first[rank[i] + 1]++;
    for (int64_t i = 0; i < ranks; i++)
        first[i + 1] += first[i];
#define ABOUT(i) (first[rank[i]] + (int32_t)(tie[i] * (first[rank[i] + 1] - first[rank[i]])))
    for (int64_t i = 0; i < length; i++)
        begin[ABOUT(i) + 1]++;
    for (int64_t i = 0; i < length; i++)
        begin[i + 1] += begin[i];
    for (int64_t i = 0; i < length; i++)
        order[begin[ABOUT(i)]++] = (uint32_t)i;
    for (int64_t place = 0, from = 0; place < length; from = begin[place++]) {
        if (from + SOON < length)
            FETCH(&tie[order[from + SOON]]);
        for (int64_t i = from + 1; i < begin[place]; i++) {
            uint32_t record = order[i];
            int64_t at = i;
            for (; at > from && tie[order[at - 1]] > tie[record]; at--)
                order[at] = order[at - 1];
            order[at] = record;
        }
    }
}
