/* Codes as pages of Parquet files: which records have a value, and the places of values in a dictionary, bit by bit.
 *
 * Places are packed eight at a time, the first in the lowest bits. Words are written whole, so sixteen bytes behind the
 * last group have to be there. A place has 16 bits at most.
 */

#include "loops.h"

INLINED uint32_t code_of(const void *codes, int64_t width, int64_t row)
{
    return width == 1   ? ((const uint8_t *)codes)[row]
           : width == 2 ? ((const uint16_t *)codes)[row]
                        : ((const uint32_t *)codes)[row];
}

INLINED void put_word(uint8_t *out, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(out, &word, 8);
}

INLINED uint64_t four(const uint16_t *place, int64_t bits)
{
    return (uint64_t)place[0] | (uint64_t)place[1] << bits | (uint64_t)place[2] << 2 * bits |
           (uint64_t)place[3] << 3 * bits;
}

/* Eight places, of 1 to 16 bits. */
INLINED uint8_t *put_group(uint8_t *out, const uint16_t *place, int64_t bits)
{
    uint64_t low = four(place, bits), high = four(place + 4, bits);
    if (bits == 16) {
        put_word(out, low);
        put_word(out + 8, high);
    } else {
        put_word(out, low | high << 4 * bits);
        if (bits > 8)
            put_word(out + 8, high >> (64 - 4 * bits));
    }
    return out + bits;
}

/* Records without a value have no place; levels, a bit for each record, are null where all have one. */
INLINED int64_t pack(const void *codes, int64_t width, int64_t count, const uint16_t *table, int64_t bits,
                     uint8_t *levels, uint8_t *out)
{
    uint16_t held[16] = {0};
    int64_t waiting = 0, present = 0;
    for (int64_t first = 0; first < count; first += 8) {
        int64_t rows = count - first < 8 ? count - first : 8;
        if (!levels && rows == 8) {
            for (int64_t one = 0; one < 8; one++)
                held[one] = table[code_of(codes, width, first + one)];
            out = put_group(out, held, bits);
            present += 8;
            continue;
        }
        uint32_t level = 0;
        int64_t before = waiting;
        for (int64_t one = 0; one < rows; one++) {
            uint32_t code = code_of(codes, width, first + one), there = !levels || code != 0;
            held[waiting] = table[code];
            level |= there << one;
            waiting += there;
        }
        present += waiting - before;
        if (levels)
            levels[first >> 3] = (uint8_t)level;
        if (waiting >= 8) {
            out = put_group(out, held, bits);
            memcpy(held, held + 8, 8 * sizeof *held);
            waiting -= 8;
        }
    }
    if (waiting) {
        memset(held + waiting, 0, (size_t)(16 - waiting) * sizeof *held);
        put_group(out, held, bits);
    }
    return present;
}

/* Pack the places that a table has for codes of so many bytes; says how many records have a value. */
EXPORTED int64_t pages_pack(const void *codes, int64_t width, int64_t count, const uint16_t *table, int64_t bits,
                            uint8_t *levels, uint8_t *out)
{
    if (width == 1)
        return pack(codes, 1, count, table, bits, levels, out);
    if (width == 2)
        return pack(codes, 2, count, table, bits, levels, out);
    return pack(codes, 4, count, table, bits, levels, out);
}
