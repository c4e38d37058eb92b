/* Counting records: tables of all combinations, and keys packed into one 64-bit word each. */

#include "words.h"

#define FEW_CELLS 3072
#define AT_ONCE 255 /* blocks after which a cell of two bytes may be full */

/* Whether codes of some records are below their bounds. */
INLINED int bytes_within(const uint8_t *classes, const uint8_t *targets, int64_t length, int64_t bound, int64_t width)
{
    uint8_t y = 0, x = 0;
    for (int64_t i = 0; i < length; i++) {
        y = classes[i] > y ? classes[i] : y;
        x = targets[i] > x ? targets[i] : x;
    }
    return y < bound && x < width;
}

/* Add one to table[class * width + target] for every record, with codes of one byte and few cells; 0 where a code is not
 * below its bound. Four tables are filled in turns, since a common cell would else wait for its own last count. Their cells
 * have two bytes, so that all stay in the nearest cache, and are emptied before one is full. */
INLINED int count_bytes(const uint8_t *classes, const uint8_t *targets, int64_t records, uint32_t width, uint32_t *table,
                        int64_t cells)
{
    uint16_t often[4][FEW_CELLS + 32], y[BLOCK]; /* no multiple of a page apart: the same cell of two would wait too */
    for (int64_t j = 0; j < 4; j++)
        memset(often[j], 0, (size_t)cells * sizeof **often);
    for (int64_t first = 0, blocks = 1; first < records; first += BLOCK, blocks++) {
        int64_t length = records - first < BLOCK ? records - first : BLOCK, i = 0;
        if (!bytes_within(classes + first, targets + first, length, cells / width, width))
            return 0;
        for (; i < length; i++)
            y[i] = (uint16_t)(classes[first + i] * width + targets[first + i]);
        for (i = 0; i + 4 <= length; i += 4)
            for (int64_t j = 0; j < 4; j++)
                often[j][y[i + j]]++;
        for (; i < length; i++)
            often[0][y[i]]++;
        if (blocks % AT_ONCE && first + length < records)
            continue;
        for (int64_t j = 0; j < 4; j++) {
            for (int64_t cell = 0; cell < cells; cell++)
                table[cell] += often[j][cell];
            memset(often[j], 0, (size_t)cells * sizeof **often);
        }
    }
    return 1;
}

/* How often each byte occurs, in the same way. */
INLINED int count_single_bytes(const uint8_t *codes, int64_t records, uint32_t *table, int64_t cells)
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
        if (found && code >= cells)
            return 0;
        if (found)
            table[code] += found;
    }
    return 1;
}

/* Add one to table[class * width + target] for every record, in a table of less than 2^32 cells; 0 where a code of less than
 * eight bytes is not below its bound. */
WIDER EXPORTED int64_t counting_histogram(const void *classes, int64_t class_bytes, const void *targets, int64_t target_bytes,
                                          int64_t records, uint32_t width, uint32_t *table, int64_t cells)
{
    uint32_t y[BLOCK], x[BLOCK], bound = (uint32_t)(cells / width);
    if (class_bytes == 1 && targets == NULL && width == 1)
        return count_single_bytes(classes, records, table, cells);
    if (class_bytes == 1 && target_bytes == 1 && cells <= FEW_CELLS && records >= 4 * cells)
        return count_bytes(classes, targets, records, width, table, cells);
    for (int64_t first = 0; first < records; first += BLOCK) {
        int64_t length = records - first < BLOCK ? records - first : BLOCK;
        uint32_t last_class = 0, last_target = 0;
        widen(classes, class_bytes, first, length, y);
        widen(targets, target_bytes, first, length, x);
        for (int64_t i = 0; i < length; i++) {
            last_class = y[i] > last_class ? y[i] : last_class;
            last_target = x[i] > last_target ? x[i] : last_target;
        }
        if (last_class >= bound || last_target >= width)
            return 0;
        for (int64_t i = 0; i < length; i++)
            y[i] = y[i] * width + x[i];
        for (int64_t i = 0; i < length; i++)
            table[y[i]]++;
    }
    return 1;
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
