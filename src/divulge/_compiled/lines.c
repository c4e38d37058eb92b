/* Records as lines of text: each cell is copied from the texts of its column, by its code. */

#include "loops.h"

typedef struct {
    const void *codes;   /* a code for each record, of so many bytes */
    int64_t width;
    const int64_t *start; /* where the text of each code begins; one more entry than codes */
    const uint8_t *text;
} Column;

static uint64_t code_at(const Column *column, int64_t row)
{
    switch (column->width) {
    case 1:
        return ((const uint8_t *)column->codes)[row];
    case 2:
        return ((const uint16_t *)column->codes)[row];
    case 4:
        return ((const uint32_t *)column->codes)[row];
    default:
        return ((const uint64_t *)column->codes)[row];
    }
}

/* Write lines from a record on until the next would not fit; says which record that is, and bytes in used. */
EXPORTED int64_t lines_write(const Column *columns, int64_t count, int64_t first, int64_t last, uint8_t separator,
                             uint8_t *out, int64_t room, int64_t *used)
{
    int64_t at = 0;
    for (int64_t row = first; row < last; row++) {
        int64_t begun = at;
        for (int64_t place = 0; place < count; place++) {
            const Column *column = &columns[place];
            uint64_t code = code_at(column, row);
            int64_t length = column->start[code + 1] - column->start[code];
            if (at + length + 1 > room) {
                *used = begun;
                return row;
            }
            memcpy(out + at, column->text + column->start[code], (size_t)length);
            at += length;
            out[at++] = place + 1 < count ? separator : (uint8_t)'\n';
        }
    }
    *used = at;
    return last;
}
