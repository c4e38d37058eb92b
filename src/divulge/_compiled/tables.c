/* How often combinations of codes occur: a table of all there can be, filled in one pass over any number of columns. */

#include "loops.h"

#define BLOCK 1024 /* records whose places are worked out at a time */

/* Add the codes of a column, each times its stride, to the places of some records. */
#define ADD(kind)                                                                                                       \
    for (int64_t i = 0; i < length; i++)                                                                                \
    place[i] += (uint32_t)((const kind *)column)[first + i] * stride

/* The places of a block of records in a table of all combinations, the sum of code * stride of each. */
#define PLACES                                                                                                          \
    memset(place, 0, sizeof place);                                                                                     \
    for (int64_t c = 0; c < count; c++) {                                                                               \
        const void *column = columns[c];                                                                                \
        uint32_t stride = (uint32_t)strides[c];                                                                         \
        switch (bytes[c]) {                                                                                             \
        case 1: ADD(uint8_t); break;                                                                                    \
        case 2: ADD(uint16_t); break;                                                                                   \
        default: ADD(uint32_t);                                                                                         \
        }                                                                                                               \
    }

/* Add one, or as many times as a row stands, to table[sum of code * stride] for every row, in a table of less than
 * 2^32 cells. */
WIDER EXPORTED void tables_fill(const void **columns, const int64_t *bytes, const int64_t *strides, int64_t count,
                                int64_t records, const int64_t *times, uint32_t *table)
{
    uint32_t place[BLOCK];
    for (int64_t first = 0; first < records; first += BLOCK) {
        int64_t length = records - first < BLOCK ? records - first : BLOCK;
        PLACES
        if (times)
            for (int64_t i = 0; i < length; i++)
                table[place[i]] += (uint32_t)times[first + i];
        else
            for (int64_t i = 0; i < length; i++)
                table[place[i]]++;
    }
}

/* The records in cells of fewer than `least`, what they add by the code of each column, and how many such records there
 * are; once these are more than `most` the rest is left open. The table of so many cells is all zero before. */
WIDER EXPORTED int64_t tables_below(const void **columns, const int64_t *bytes, const int64_t *strides, int64_t count,
                                    int64_t records, int64_t least, int64_t most, int64_t cells, uint32_t *table,
                                    const double **lost, double *sums)
{
    int64_t below = 0;
    tables_fill(columns, bytes, strides, count, records, NULL, table);
    if (cells <= records) { /* cells that are fewer than the records say sooner whether they are too many */
        for (int64_t i = 0; i < cells; i++)
            below += table[i] < least ? table[i] : 0;
        if (below > most)
            return below;
        below = 0;
    }
    for (int64_t first = 0; first < records; first += BLOCK) {
        int64_t length = records - first < BLOCK ? records - first : BLOCK;
        uint32_t place[BLOCK];
        PLACES
        for (int64_t i = 0; i < length; i++) {
            if (table[place[i]] >= least)
                continue;
            if (++below > most)
                return below;
            for (int64_t c = 0; c < count; c++) {
                uint32_t code = bytes[c] == 1   ? ((const uint8_t *)columns[c])[first + i]
                                : bytes[c] == 2 ? ((const uint16_t *)columns[c])[first + i]
                                                : ((const uint32_t *)columns[c])[first + i];
                sums[c] += lost[c][code];
            }
        }
    }
    return below;
}

/* The cells of a row of a table that are not empty; most of eight beside each other are. */
#define CELLS(kind)                                                                                                     \
    do {                                                                                                                \
        const kind *row = (const kind *)table + set * width;                                                            \
        for (int64_t first = 0; first < width; first += 8) {                                                            \
            int64_t end = width - first < 8 ? width : first + 8;                                                        \
            kind any = 0;                                                                                               \
            for (int64_t i = first; i < end; i++)                                                                       \
                any |= row[i];                                                                                          \
            if (any == 0)                                                                                               \
                continue;                                                                                               \
            for (int64_t i = first; i < end; i++)                                                                       \
                if (row[i]) {                                                                                           \
                    if (cells == most)                                                                                  \
                        return -1;                                                                                      \
                    owner[cells] = found;                                                                               \
                    value[cells] = codes ? codes[i] : i;                                                                \
                    count[cells++] = (int64_t)row[i];                                                                   \
                    having[i] += (int64_t)row[i];                                                                       \
                    held += (int64_t)row[i];                                                                            \
                }                                                                                                       \
        }                                                                                                               \
    } while (0)

/* The cells of a table of sets by codes that are not empty, at most so many: the place of each one's set among those that
 * have any, its code (or what stands for it), and how many records it has. Sizes come by set, `having` by code, 0 before;
 * gives how many sets there are, or -1 where cells are more. */
WIDER EXPORTED int64_t tables_cells(const void *table, int64_t bytes, int64_t sets, int64_t width, const int64_t *codes,
                                    int64_t most, int64_t *owner, int64_t *value, int64_t *count, int64_t *size,
                                    int64_t *having)
{
    int64_t cells = 0, found = 0;
    for (int64_t set = 0; set < sets; set++) {
        int64_t held = 0, before = cells;
        if (bytes == 4)
            CELLS(uint32_t);
        else
            CELLS(int64_t);
        if (cells > before)
            size[found++] = held;
    }
    return found;
}

/* A table of three axes added up over the one in the middle; the sums are all 0 before. */
WIDER EXPORTED void tables_sum(const uint32_t *table, int64_t outer, int64_t length, int64_t inner, uint32_t *sums)
{
    for (int64_t i = 0; i < outer; i++, sums += inner, table += length * inner)
        if (inner == 1)
            for (int64_t j = 0; j < length; j++)
                *sums += table[j];
        else
            for (int64_t j = 0; j < length; j++)
                for (int64_t k = 0; k < inner; k++)
                    sums[k] += table[j * inner + k];
}
