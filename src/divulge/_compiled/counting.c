/* Counting records: tables of all combinations, and keys packed into one 64-bit word each. */

#include "words.h"

#define FEW_CELLS 2048

/* Add one to table[class * width + target] for every record, with codes of one byte and few cells. Four tables are filled in
 * turns, since a common cell would else wait for its own last count. They are no multiple of a page apart, or the same cell
 * of two of them would wait too. */
INLINED void count_bytes(const uint8_t *classes, const uint8_t *targets, int64_t records, uint32_t width, uint32_t *table,
                         int64_t cells)
{
    uint32_t often[4][FEW_CELLS + 16];
    uint16_t y[BLOCK];
    for (int64_t j = 0; j < 4; j++)
        memset(often[j], 0, (size_t)cells * sizeof **often);
    for (int64_t first = 0; first < records; first += BLOCK) {
        int64_t length = records - first < BLOCK ? records - first : BLOCK, i = 0;
        for (; i < length; i++)
            y[i] = (uint16_t)(classes[first + i] * width + targets[first + i]);
        for (i = 0; i + 4 <= length; i += 4)
            for (int64_t j = 0; j < 4; j++)
                often[j][y[i + j]]++;
        for (; i < length; i++)
            often[0][y[i]]++;
    }
    for (int64_t cell = 0; cell < cells; cell++)
        table[cell] += often[0][cell] + often[1][cell] + often[2][cell] + often[3][cell];
}

/* How often each byte occurs, in the same way. */
INLINED void count_single_bytes(const uint8_t *codes, int64_t records, uint32_t *table)
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
                                       int64_t records, uint32_t width, uint32_t *table, int64_t cells)
{
    uint32_t y[BLOCK], x[BLOCK];
    if (class_bytes == 1 && targets == NULL && width == 1) {
        count_single_bytes(classes, records, table);
        return;
    }
    if (class_bytes == 1 && target_bytes == 1 && cells <= FEW_CELLS && records >= 4 * cells) {
        count_bytes(classes, targets, records, width, table, cells);
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

/* Add to table[class * width + target] as many times as each row stands. */
EXPORTED void counting_sums(const void *classes, int64_t class_bytes, const void *targets, int64_t target_bytes,
                            int64_t rows, int64_t width, const int64_t *times, int64_t *table)
{
    uint64_t y[BLOCK];
    for (int64_t first = 0; first < rows; first += BLOCK) {
        int64_t length = rows - first < BLOCK ? rows - first : BLOCK;
        for (int64_t i = 0; i < length; i++)
            y[i] = code_at(classes, class_bytes, first + i) * (uint64_t)width;
        if (targets)
            for (int64_t i = 0; i < length; i++)
                y[i] += code_at(targets, target_bytes, first + i);
        for (int64_t i = 0; i < length; i++)
            table[y[i]] += times[first + i];
    }
}

/* One word for each record: the codes of columns one below the other, each in its bits, the first highest. */
WIDER EXPORTED void counting_pack(uint64_t *words, int64_t records, const void **columns, const int64_t *bytes,
                            const int64_t *bits, int64_t count)
{
    for (int64_t first = 0; first < records; first += BLOCK)
        pack_block(words + first, first, records - first < BLOCK ? records - first : BLOCK, columns, bytes, bits, count);
}
