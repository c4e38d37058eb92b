/* Draws that depend on a key and a row alone: the MD5 digest of "key:row", a number or another text.
 * The same digests can be had in SQL, so that a release is the same wherever it is made. */

#include "loops.h"

#define KEY 32 /* characters of a key */
#define LANES 8 /* digests at a time in one vector */
#define VECTORS 2 /* that are worked on in turn, so that one need not wait for itself */
#define KEY_WORDS (KEY / 4)

static const uint32_t START[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

static const uint32_t SINES[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
static const uint8_t TURNS[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t turned(uint32_t word, int by)
{
    return (word << by) | (word >> (32 - by));
}

/* RFC 1321: the four words of a digest, after one more block of 64 bytes. */
static void absorb(const uint8_t text[64], uint32_t words[4])
{
    uint32_t block[16], a = words[0], b = words[1], c = words[2], d = words[3];
    for (int i = 0; i < 16; i++)
        block[i] = (uint32_t)text[4 * i] | (uint32_t)text[4 * i + 1] << 8 | (uint32_t)text[4 * i + 2] << 16 |
                   (uint32_t)text[4 * i + 3] << 24;
    for (int i = 0; i < 64; i++) {
        uint32_t mixed;
        int at;
        if (i < 16) {
            mixed = (b & c) | (~b & d);
            at = i;
        } else if (i < 32) {
            mixed = (d & b) | (~d & c);
            at = (5 * i + 1) & 15;
        } else if (i < 48) {
            mixed = b ^ c ^ d;
            at = (3 * i + 5) & 15;
        } else {
            mixed = c ^ (b | ~d);
            at = (7 * i) & 15;
        }
        uint32_t next = b + turned(a + mixed + SINES[i] + block[at], TURNS[i >> 4][i & 3]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    words[0] += a;
    words[1] += b;
    words[2] += c;
    words[3] += d;
}

static uint32_t swapped(uint32_t word)
{
    return (word >> 24) | ((word >> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24);
}

/* The first and, where they are asked for, the second 13 hexadecimal digits of a digest, as numbers from 0 up to 1. */
static void as_numbers(const uint32_t words[4], double *first, double *second)
{
    uint64_t high = (uint64_t)swapped(words[0]) << 32 | swapped(words[1]);
    uint64_t low = (uint64_t)swapped(words[2]) << 32 | swapped(words[3]);
    *first = (double)(high >> 12) * 0x1p-52;
    if (second)
        *second = (double)((high & 0xfff) << 40 | low >> 24) * 0x1p-52;
}

/* The draws of the text "key:text". */
static void draw(const uint8_t *key, const uint8_t *text, int64_t length, double *first, double *second)
{
    uint32_t words[4] = {START[0], START[1], START[2], START[3]};
    uint8_t block[64];
    int64_t taken = 0, total = KEY + 1 + length;
    int filled = KEY + 1;
    memcpy(block, key, KEY);
    block[KEY] = ':';
    while (length - taken >= 64 - filled) {
        memcpy(block + filled, text + taken, (size_t)(64 - filled));
        taken += 64 - filled;
        filled = 0;
        absorb(block, words);
    }
    memcpy(block + filled, text + taken, (size_t)(length - taken));
    filled += (int)(length - taken);
    block[filled++] = 0x80;
    if (filled > 56) {
        memset(block + filled, 0, (size_t)(64 - filled));
        absorb(block, words);
        filled = 0;
    }
    memset(block + filled, 0, (size_t)(56 - filled));
    for (int i = 0; i < 8; i++)
        block[56 + i] = (uint8_t)((uint64_t)total * 8 >> (8 * i));
    absorb(block, words);
    as_numbers(words, first, second);
}

typedef uint32_t Lanes __attribute__((vector_size(4 * LANES)));

/* One step of all vectors; what is mixed is a macro of three words. */
#define STEP(mix, a, b, c, d, at, i, by) \
    for (int v = 0; v < VECTORS; v++) { \
        Lanes sum = a[v] + mix(b[v], c[v], d[v]) + block[at][v] + SINES[i]; \
        a[v] = b[v] + (sum << by | sum >> (32 - by)); \
    }
#define STEPS(mix, at, i, first, second, third, fourth) \
    STEP(mix, a, b, c, d, (at(i)) & 15, i, first) \
    STEP(mix, d, a, b, c, (at(i + 1)) & 15, i + 1, second) \
    STEP(mix, c, d, a, b, (at(i + 2)) & 15, i + 2, third) \
    STEP(mix, b, c, d, a, (at(i + 3)) & 15, i + 3, fourth)
#define MIX_1(x, y, z) (z ^ (x & (y ^ z)))
#define MIX_2(x, y, z) (y ^ (z & (x ^ y)))
#define MIX_3(x, y, z) (x ^ y ^ z)
#define MIX_4(x, y, z) (y ^ (x | ~z))
#define AT_1(i) (i)
#define AT_2(i) (5 * (i) + 1)
#define AT_3(i) (3 * (i) + 5)
#define AT_4(i) (7 * (i))

/* The four words of several digests, after one block each. The first steps are about the key alone: they are done
 * before, and begin is what they give. */
INLINED void absorb_lanes(Lanes block[16][VECTORS], const uint32_t begin[4], Lanes words[4][VECTORS])
{
    Lanes a[VECTORS], b[VECTORS], c[VECTORS], d[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        a[v] = (Lanes){0} + begin[0];
        b[v] = (Lanes){0} + begin[1];
        c[v] = (Lanes){0} + begin[2];
        d[v] = (Lanes){0} + begin[3];
    }
    for (int i = KEY_WORDS; i < 16; i += 4) {
        STEPS(MIX_1, AT_1, i, 7, 12, 17, 22)
    }
    for (int i = 16; i < 32; i += 4) {
        STEPS(MIX_2, AT_2, i, 5, 9, 14, 20)
    }
    for (int i = 32; i < 48; i += 4) {
        STEPS(MIX_3, AT_3, i, 4, 11, 16, 23)
    }
    for (int i = 48; i < 64; i += 4) {
        STEPS(MIX_4, AT_4, i, 6, 10, 15, 21)
    }
    for (int v = 0; v < VECTORS; v++) {
        words[0][v] = a[v] + START[0];
        words[1][v] = b[v] + START[1];
        words[2][v] = c[v] + START[2];
        words[3][v] = d[v] + START[3];
    }
}

/* What the first steps make of the words of a key. */
static void begun(const uint32_t key[KEY_WORDS], uint32_t words[4])
{
    uint32_t a = START[0], b = START[1], c = START[2], d = START[3];
    for (int i = 0; i < KEY_WORDS; i++) {
        uint32_t next = b + turned(a + ((b & c) | (~b & d)) + SINES[i] + key[i], TURNS[0][i & 3]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
}

/* The decimal digits of a number at the end of 20 characters; says where they begin. */
static int written(uint64_t number, uint8_t digits[20])
{
    int at = 20;
    do {
        digits[--at] = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number);
    return at;
}

/* What follows the key in a block: a colon, the digits of a number, and the sign that the text ends; says where. */
static int laid_out(uint64_t number, uint8_t tail[24])
{
    uint8_t digits[20];
    int at = written(number, digits), end = 21 - at;
    memset(tail, 0, 24);
    tail[0] = ':';
    memcpy(tail + 1, digits + at, (size_t)(20 - at));
    tail[end] = 0x80;
    return end;
}

/* The same for the next number, in the place of the one before. */
static int counted_on(uint8_t tail[24], int end)
{
    int last = end - 1;
    while (tail[last] == '9')
        tail[last--] = '0';
    if (last) {
        tail[last]++;
        return end;
    }
    tail[1] = '1'; /* all digits were nines: there is one more */
    tail[end++] = '0';
    tail[end] = 0x80;
    return end;
}

static uint32_t word_at(const uint8_t *text)
{
    return (uint32_t)text[0] | (uint32_t)text[1] << 8 | (uint32_t)text[2] << 16 | (uint32_t)text[3] << 24;
}

/* One or two draws for each number of a row, which is written in decimal digits: it fits into one block. */
WIDER EXPORTED void draws_uniform(const uint8_t *key, const int64_t *rows, int64_t length, double *first,
                                  double *second)
{
    int64_t row = 0;
    uint8_t tail[24], digits[20];
    Lanes block[16][VECTORS] = {{{0}}}, words[4][VECTORS];
    uint32_t begin[4], letters[KEY_WORDS];
    for (int i = 0; i < KEY_WORDS; i++) {
        letters[i] = word_at(key + 4 * i);
        for (int v = 0; v < VECTORS; v++)
            block[i][v] = (Lanes){0} + letters[i];
    }
    begun(letters, begin);
    int end = 0;
    for (; row + VECTORS * LANES <= length; row += VECTORS * LANES) {
        for (int l = 0; l < VECTORS * LANES; l++) {
            int64_t one = row + l;
            int next = one && rows[one] - 1 == rows[one - 1];
            end = next ? counted_on(tail, end) : laid_out((uint64_t)rows[one], tail);
            for (int i = 0; i < 6; i++)
                block[KEY_WORDS + i][l / LANES][l % LANES] = word_at(tail + 4 * i);
            block[14][l / LANES][l % LANES] = (uint32_t)(KEY + end) * 8;
        }
        absorb_lanes(block, begin, words);
        for (int l = 0; l < VECTORS * LANES; l++) {
            uint32_t one[4];
            for (int i = 0; i < 4; i++)
                one[i] = words[i][l / LANES][l % LANES];
            as_numbers(one, &first[row + l], second ? &second[row + l] : NULL);
        }
    }
    for (; row < length; row++) {
        int at = written((uint64_t)rows[row], digits);
        draw(key, digits + at, 20 - at, &first[row], second ? &second[row] : NULL);
    }
}

/* The same for texts, each from where it starts to where the next does. */
EXPORTED void draws_of_texts(const uint8_t *key, const uint8_t *text, const int64_t *start, int64_t length,
                             double *first, double *second)
{
    for (int64_t row = 0; row < length; row++)
        draw(key, text + start[row], start[row + 1] - start[row], &first[row], second ? &second[row] : NULL);
}

/* How many of the records drawn without replacement are among some of them: NumPy's own way to draw. */
typedef int64_t (*Hypergeometric)(void *generator, int64_t among, int64_t others, int64_t drawn);

/* Tables with given classes and target values, cell by cell and the same cell of all tables in a row.
 * Rows are taken in an order, values by their places; left is how many records of each value every table has left,
 * rest and wanted are room for a number of each table. */
EXPORTED void draws_tables(void *numpys, void *generator, const int64_t *sizes, const int64_t *order, int64_t rows,
                           const int64_t *places, int64_t values, int64_t times, int64_t *left, int64_t *rest,
                           int64_t *wanted, int64_t *tables)
{
    Hypergeometric drawn = (Hypergeometric)numpys;
    for (int64_t i = 0; i < rows; i++) {
        int64_t *row = tables + order[i] * values;
        for (int64_t one = 0; one < times; one++) {
            wanted[one] = sizes[order[i]];
            rest[one] = 0;
        }
        for (int64_t value = 0; value < values; value++)
            for (int64_t one = 0; one < times; one++)
                rest[one] += left[value * times + one];
        for (int64_t value = 0; value < values; value++) {
            int64_t *own = left + value * times, last = value == values - 1;
            for (int64_t one = 0; one < times; one++) {
                rest[one] -= own[one];
                int64_t found = last ? wanted[one] : drawn(generator, own[one], rest[one], wanted[one]);
                row[one * rows * values + places[value]] = found;
                own[one] -= found;
                wanted[one] -= found;
            }
        }
    }
}
