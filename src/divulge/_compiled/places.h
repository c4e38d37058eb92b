/* Places of a few bits looked up 32 at a time, where the processor can (AVX2): others have none looked up here. */

#ifndef DIVULGE_PLACES
#define DIVULGE_PLACES

#include "loops.h"

#define FEW 6 /* bits of a place up to which four registers hold the codes of all */
#define ABREAST 32

typedef struct {
    int64_t bits;    /* for which this is made; below 0 before */
    int64_t entries; /* the places below have codes, the others none; 0 where it is not so simple */
    uint8_t codes[1 << FEW];
    uint8_t bytes[32];   /* which two bytes of eight packed places hold each, twice over */
    uint16_t factor[16]; /* what brings it to the upper end of these */
} Places;

static void make_places(Places *places, const uint32_t *codes, int64_t bits, uint32_t nowhere)
{
    int64_t there = 0;
    places->bits = bits;
    places->entries = 0;
    memset(places->codes, 0, sizeof places->codes);
    for (int64_t place = 0; place < (int64_t)1 << bits; place++) {
        there += !(codes[place] & nowhere);
        places->entries += there == place + 1;
        places->codes[place] = (uint8_t)codes[place];
    }
    if (places->entries != there)
        places->entries = 0;
    for (int64_t i = 0; i < 16; i++) {
        int64_t bit = i % 8 * bits;
        places->bytes[2 * i] = (uint8_t)(bit >> 3);
        places->bytes[2 * i + 1] = (uint8_t)((bit >> 3) + 1);
        places->factor[i] = (uint16_t)(1u << (16 - bits - (bit & 7)));
    }
}

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define ABREAST_THERE __builtin_cpu_supports("avx2")
#define WITH_AVX2 __attribute__((target("avx2")))

/* Sixteen places, in a half of a register for each; sixteen bytes may be read for each eight. */
WITH_AVX2 INLINED __m256i sixteen(const uint8_t *at, int64_t bits, __m256i bytes, __m256i factor, __m128i down)
{
    __m256i both = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)at));
    both = _mm256_inserti128_si256(both, _mm_loadu_si128((const __m128i *)(at + bits)), 1);
    return _mm256_srl_epi16(_mm256_mullo_epi16(_mm256_shuffle_epi8(both, bytes), factor), down);
}

WITH_AVX2 INLINED int64_t look_up_in(const Places *places, const int registers, const uint8_t *at, int64_t readable,
                                     int64_t count, uint8_t *out, int64_t *largest)
{
    int64_t bits = places->bits, i = 0;
    __m256i bytes = _mm256_loadu_si256((const __m256i *)places->bytes), most = _mm256_setzero_si256();
    __m256i factor = _mm256_loadu_si256((const __m256i *)places->factor), codes[4];
    __m128i down = _mm_cvtsi64_si128(16 - bits);
    for (int k = 0; k < registers; k++)
        codes[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(places->codes + 16 * k)));
    for (; count - i >= ABREAST && readable >= 3 * bits + 16; i += ABREAST, at += 4 * bits, readable -= 4 * bits) {
        __m256i one = sixteen(at, bits, bytes, factor, down), other = sixteen(at + 2 * bits, bits, bytes, factor, down);
        __m256i place = _mm256_permute4x64_epi64(_mm256_packus_epi16(one, other), 0xD8), found = codes[0];
        most = _mm256_max_epu8(most, place);
        if (registers == 1)
            found = _mm256_shuffle_epi8(codes[0], place);
        else { /* a register gives 0 for places of others, which have the highest bit set once 0x70 is added */
            found = _mm256_setzero_si256();
            for (int k = 0; k < registers; k++) {
                __m256i within = _mm256_sub_epi8(place, _mm256_set1_epi8((char)(16 * k)));
                within = _mm256_adds_epu8(within, _mm256_set1_epi8(0x70));
                found = _mm256_or_si256(found, _mm256_shuffle_epi8(codes[k], within));
            }
        }
        _mm256_storeu_si256((__m256i *)(out + i), found);
    }
    uint8_t seen[32];
    _mm256_storeu_si256((__m256i *)seen, most);
    for (int k = 0; k < 32; k++)
        *largest = seen[k] > *largest ? seen[k] : *largest;
    return i;
}

/* Look up as many places as there are in whole rows of 32, as codes of a byte; says how many, and the largest. */
WITH_AVX2 static int64_t look_up_abreast(const Places *places, const uint8_t *at, int64_t readable, int64_t count,
                                         uint8_t *out, int64_t *largest)
{
    if (places->bits <= 4)
        return look_up_in(places, 1, at, readable, count, out, largest);
    if (places->bits == 5)
        return look_up_in(places, 2, at, readable, count, out, largest);
    return look_up_in(places, 4, at, readable, count, out, largest);
}
#else
#define ABREAST_THERE 0
static int64_t look_up_abreast(const Places *places, const uint8_t *at, int64_t readable, int64_t count, uint8_t *out,
                               int64_t *largest)
{
    (void)places, (void)at, (void)readable, (void)count, (void)out, (void)largest;
    return 0;
}
#endif

#endif
