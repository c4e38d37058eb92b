/* How often combinations of codes occur: a table of all there can be, filled in one pass over any number of columns. */

#include "loops.h"

#define BLOCK 1024 /* records whose places are worked out at a time */

/* Add the codes of a column, each times its stride, to the places of some records. */
#define ADD(kind)                                                                                                       \
    for (int64_t i = 0; i < length; i++)                                                                                \
    place[i] += (uint32_t)((const kind *)column)[first + i] * stride

/* Add one to table[sum of code * stride] for every record, in a table of less than 2^32 cells. */
WIDER EXPORTED void tables_fill(const void **columns, const int64_t *bytes, const int64_t *strides, int64_t count,
                                int64_t records, uint32_t *table)
{
    uint32_t place[BLOCK];
    for (int64_t first = 0; first < records; first += BLOCK) {
        int64_t length = records - first < BLOCK ? records - first : BLOCK;
        memset(place, 0, sizeof place);
        for (int64_t c = 0; c < count; c++) {
            const void *column = columns[c];
            uint32_t stride = (uint32_t)strides[c];
            switch (bytes[c]) {
            case 1: ADD(uint8_t); break;
            case 2: ADD(uint16_t); break;
            default: ADD(uint32_t);
            }
        }
        for (int64_t i = 0; i < length; i++)
            table[place[i]]++;
    }
}
