/* Counting records: tables of all combinations, and keys packed into one 64-bit word each. */

#include "words.h"

/* How often each byte occurs: four tables in turns, since a common one would else wait for its own last count. */
static void count_bytes(const uint8_t *codes, int64_t records, uint32_t *table)
{
    uint32_t often[4][256];
    int64_t i = 0;
    memset(often, 0, sizeof often);
    for (; i + 4 <= records; i += 4)
        for (int64_t j = 0; j < 4; j++)
            often[j][codes[i + j]]++;
    for (; i < records; i++)
        often[0][codes[i]]++;
    for (int64_t code = 0; code < 256; code++) {
        uint32_t found = often[0][code] + often[1][code] + often[2][code] + often[3][code];
        if (found)
            table[code] += found;
    }
}

/* Add one to table[class * width + target] for every record, in a table of less than 2^32 cells. */
WIDER EXPORTED void counting_histogram(const void *classes, int64_t class_bytes, const void *targets, int64_t target_bytes,
                                 int64_t records, uint32_t width, uint32_t *table)
{
    uint32_t y[BLOCK], x[BLOCK];
    if (targets == NULL && class_bytes == 1 && width == 1) {
        count_bytes(classes, records, table);
        return;
    }
    for (int64_t first = 0; first < records; first += BLOCK) {
        int64_t length = records - first < BLOCK ? records - first : BLOCK;
        widen(classes, class_bytes, first, length, y);
        widen(targets, target_bytes, first, length, x);
        for (int64_t i = 0; i < length; i++)
            y[i] = y[i] * width + x[i];
        for (int64_t i = 0; i < length; i++)
            table[y[i]]++;
    }
}

/* One word for each record: the codes of columns one below the other, each in its bits, the first highest. */
WIDER EXPORTED void counting_pack(uint64_t *words, int64_t records, const void **columns, const int64_t *bytes,
                            const int64_t *bits, int64_t count)
{
    for (int64_t first = 0; first < records; first += BLOCK)
        pack_block(words + first, first, records - first < BLOCK ? records - first : BLOCK, columns, bytes, bits, count);
}
