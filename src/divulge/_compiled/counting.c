/* Counting millions of records.
 *
 * Keys are packed into one 64-bit word each, class bits above target bits. Words are scattered into partitions small
 * enough for the cache by a hash of the class bits, so that classes stay whole. There words are sorted, or a small
 * hash table tells the classes apart. Threads take parts of the data.
 */

#include "loops.h"

#define BLOCK 1024 /* codes that are made equally wide at a time */
#define MIX 0x9E3779B97F4A7C15u

static uint64_t hash(uint64_t word, uint64_t shift)
{
    uint64_t y = word >> shift;
    y ^= y >> 32;
    y *= MIX;
    y ^= y >> 32;
    return y * MIX;
}

/* A code of 1, 2, 4 or 8 bytes; with no bytes every code is 0. */
static uint64_t code_at(const void *codes, int64_t bytes, int64_t i)
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
static inline void widen(const void *codes, int64_t bytes, int64_t first, int64_t length, uint32_t *out)
{
    switch (bytes) {
    case 1: for (int64_t i = 0; i < length; i++) out[i] = ((const uint8_t *)codes)[first + i]; break;
    case 2: for (int64_t i = 0; i < length; i++) out[i] = ((const uint16_t *)codes)[first + i]; break;
    case 4: for (int64_t i = 0; i < length; i++) out[i] = ((const uint32_t *)codes)[first + i]; break;
    case 8: for (int64_t i = 0; i < length; i++) out[i] = (uint32_t)((const uint64_t *)codes)[first + i]; break;
    default: for (int64_t i = 0; i < length; i++) out[i] = 0;
    }
}

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

/* One word for each record: the codes of columns one below the other, each in its bits, the first highest.
 * As many columns as fit are put together in 32 bits first, which takes half as long as in 64. */
WIDER EXPORTED void counting_pack(uint64_t *words, int64_t records, const void **columns, const int64_t *bytes,
                            const int64_t *bits, int64_t count)
{
    uint32_t x[BLOCK], half[BLOCK];
    for (int64_t first = 0; first < records; first += BLOCK) {
        int64_t length = records - first < BLOCK ? records - first : BLOCK, filled = 0, c = 0;
        uint64_t *out = words + first;
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
}

/* How many words fall into each of 2^bits partitions. */
EXPORTED void counting_partition_sizes(const uint64_t *words, int64_t records, uint64_t shift, uint64_t bits,
                                       int64_t *sizes)
{
    for (int64_t i = 0; i < records; i++)
        sizes[hash(words[i], shift) >> (64 - bits)]++;
}

/* Move words (and their row numbers, if any) to their partitions, each from its place on. */
EXPORTED void counting_scatter(const uint64_t *words, const uint32_t *rows, int64_t records, uint64_t shift,
                               uint64_t bits, int64_t *places, uint64_t *out_words, uint32_t *out_rows)
{
    for (int64_t i = 0; i < records; i++) {
        int64_t place = places[hash(words[i], shift) >> (64 - bits)]++;
        out_words[place] = words[i];
        if (rows)
            out_rows[place] = rows[i];
    }
}

/* Of partitions of sorted words, how many classes have several records, and their cells: two numbers each.
 * Classes of one record are only tallied by target. */
EXPORTED void counting_count_runs(const uint64_t *words, const int64_t *edges, int64_t partitions, uint64_t shift,
                                  int64_t *singles, int64_t *found)
{
    uint64_t mask = ((uint64_t)1 << shift) - 1;
    for (int64_t p = 0; p < partitions; p++) {
        int64_t i = edges[p], last = edges[p + 1], classes = 0, cells = 0;
        while (i < last) {
            int64_t first = i++, distinct = 1;
            for (; i < last && words[i] >> shift == words[first] >> shift; i++)
                distinct += words[i] != words[i - 1];
            if (i == first + 1) {
                singles[words[first] & mask]++;
            } else {
                classes++;
                cells += distinct;
            }
        }
        found[2 * p] = classes;
        found[2 * p + 1] = cells;
    }
}

/* Write the classes of several records, and their cells, from each partition's two places on. */
EXPORTED void counting_write_runs(const uint64_t *words, const int64_t *edges, int64_t partitions, uint64_t shift,
                                  const int64_t *places, int64_t *class_size, int64_t *class_cells,
                                  int64_t *cell_target, int64_t *cell_count)
{
    uint64_t mask = ((uint64_t)1 << shift) - 1;
    for (int64_t p = 0; p < partitions; p++) {
        int64_t i = edges[p], last = edges[p + 1], class = places[2 * p], cell = places[2 * p + 1];
        while (i < last) {
            int64_t first = i++, begin = cell;
            if (i == last || words[i] >> shift != words[first] >> shift)
                continue;
            cell_target[cell] = (int64_t)(words[first] & mask);
            cell_count[cell] = 1;
            for (; i < last && words[i] >> shift == words[first] >> shift; i++) {
                if (words[i] != words[i - 1]) {
                    cell_target[++cell] = (int64_t)(words[i] & mask);
                    cell_count[cell] = 0;
                }
                cell_count[cell]++;
            }
            cell++;
            class_size[class] = i - first;
            class_cells[class++] = cell - begin;
        }
    }
}

/* Keep the rows of classes of two or more, class by class; tally the targets of single rows.
 *
 * A table that a class's hash points into tells classes apart. It has a number of slots that is a power of two and
 * more than the words of any partition; keys, counts and starts have room for them, slot_of for a partition. */
EXPORTED void counting_group(const uint64_t *words, const uint32_t *rows, const int64_t *edges, int64_t partitions,
                             uint64_t bits, const void *targets, int64_t target_bytes, uint64_t *keys,
                             uint32_t *counts, uint32_t *starts, uint32_t *slot_of, int64_t *singles,
                             uint32_t *out_rows, uint32_t *out_class, int64_t *used)
{
    for (int64_t p = 0; p < partitions; p++) {
        int64_t first = edges[p], size = edges[p + 1] - first, slots_bits = 1;
        while ((int64_t)1 << slots_bits < size + size / 2)
            slots_bits++;
        int64_t slots = (int64_t)1 << slots_bits;
        memset(counts, 0, (size_t)slots * sizeof *counts);
        for (int64_t i = 0; i < size; i++) {
            uint64_t word = words[first + i], slot = (hash(word, 0) << bits) >> (64 - slots_bits);
            while (counts[slot] && keys[slot] != word)
                slot = (slot + 1) & (uint64_t)(slots - 1);
            keys[slot] = word;
            counts[slot]++;
            slot_of[i] = (uint32_t)slot;
        }
        uint32_t class = 0, end = 0;
        for (int64_t slot = 0; slot < slots; slot++)
            if (counts[slot] > 1) {
                starts[slot] = end;
                for (uint32_t i = 0; i < counts[slot]; i++)
                    out_class[first + end++] = class;
                class++;
            }
        for (int64_t i = 0; i < size; i++) {
            uint32_t row = rows[first + i];
            if (counts[slot_of[i]] == 1)
                singles[code_at(targets, target_bytes, row)]++;
            else
                out_rows[first + starts[slot_of[i]]++] = row;
        }
        used[2 * p] = class;
        used[2 * p + 1] = end;
    }
}

/* Copy stretches of numbers to their places. */
EXPORTED void counting_gather(const uint32_t *source, const int64_t *firsts, const int64_t *lengths, int64_t stretches,
                              const int64_t *places, int64_t *out)
{
    for (int64_t p = 0; p < stretches; p++)
        for (int64_t i = 0; i < lengths[p]; i++)
            out[places[p] + i] = source[firsts[p] + i];
}
