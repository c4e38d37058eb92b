/* What loops over packed words share: codes of any width, and the hash that parts words. */

#ifndef DIVULGE_WORDS
#define DIVULGE_WORDS

#include "loops.h"

#define BLOCK 1024 /* codes that are made equally wide at a time */
#define MIX 0x9E3779B97F4A7C15u

static inline uint64_t hash(uint64_t word, uint64_t shift)
{
    uint64_t y = word >> shift;
    y ^= y >> 32;
    y *= MIX;
    y ^= y >> 32;
    return y * MIX;
}

/* A code of 1, 2, 4 or 8 bytes; with no bytes every code is 0. */
static inline uint64_t code_at(const void *codes, int64_t bytes, int64_t i)
{
    switch (bytes) {
    case 1: return ((const uint8_t *)codes)[i];
    case 2: return ((const uint16_t *)codes)[i];
    case 4: return ((const uint32_t *)codes)[i];
    case 8: return ((const uint64_t *)codes)[i];
    default: return 0;
    }
}

/* A stretch of codes, all made equally wide. */
INLINED void widen(const void *codes, int64_t bytes, int64_t first, int64_t length, uint32_t *out)
{
    switch (bytes) {
    case 1: for (int64_t i = 0; i < length; i++) out[i] = ((const uint8_t *)codes)[first + i]; break;
    case 2: for (int64_t i = 0; i < length; i++) out[i] = ((const uint16_t *)codes)[first + i]; break;
    case 4: for (int64_t i = 0; i < length; i++) out[i] = ((const uint32_t *)codes)[first + i]; break;
    case 8: for (int64_t i = 0; i < length; i++) out[i] = (uint32_t)((const uint64_t *)codes)[first + i]; break;
    default: for (int64_t i = 0; i < length; i++) out[i] = 0;
    }
}

/* The words of some records, at most a block: codes of columns one below the other, each in its bits, the first highest.
 * As many columns as fit are put together in 32 bits first, which takes half as long as in 64. */
INLINED void pack_block(uint64_t *out, int64_t first, int64_t length, const void *const *columns, const int64_t *bytes,
                        const int64_t *bits, int64_t count)
{
    uint32_t x[BLOCK], half[BLOCK];
    int64_t filled, c = 0;
    memset(out, 0, (size_t)length * sizeof *out);
    while (c < count) {
        widen(columns[c], bytes[c], first, length, half);
        for (filled = bits[c++]; c < count && filled + bits[c] <= 32; filled += bits[c++]) {
            widen(columns[c], bytes[c], first, length, x);
            for (int64_t i = 0; i < length; i++)
                half[i] = (half[i] << bits[c]) | x[i];
        }
        for (int64_t i = 0; i < length; i++)
            out[i] = (out[i] << filled) | half[i];
    }
}

#endif
