/* Classes of millions of records and their cells, without sorting.
 *
 * Records come in blocks. The words of a block, class bits above target bits, are brought into the order of the partition
 * that a hash of their class says, within the room of the block, which the cache holds. A partition is then a stretch of
 * every block. Its words, too, fit the cache, where a small hash table tells classes apart. Classes of one, two or three
 * records are only tallied by their targets, since so many look alike. The cells of larger ones are written where the
 * partition's words were, and from there to arrays of just their length: new room is taken for nothing else, since the
 * system clears it first.
 */

#include "words.h"

#define COUNT_BITS 31 /* of a cell's word: the lowest have its count, 32 its target, the highest says that it is the last */
#define FEW 24 /* records of a class up to which its targets are sorted by insertion */

/* Words in blocks: where each block begins, and where in it every partition begins, and the last ends. */
typedef struct {
    uint64_t *words;
    const int64_t *starts;
    int64_t blocks;
    const uint32_t *edges;
    int64_t partitions;
} Blocks;

/* Bring the words of a block into the order of their partitions, and rows, if any: those given, or as they are numbered. */
INLINED void order_block(const uint64_t *word, const uint32_t *row, int64_t first_row, int64_t length, uint64_t shift,
                         uint64_t parts, uint32_t *part_of, uint32_t *edges, uint64_t *words, uint32_t *rows)
{
    int64_t partitions = (int64_t)1 << parts;
    uint32_t before = 0;
    memset(edges, 0, (size_t)(partitions + 1) * sizeof *edges);
    for (int64_t i = 0; i < length; i++) {
        uint32_t p = (uint32_t)(hash(word[i], shift) >> (64 - parts));
        part_of[i] = p;
        edges[p]++;
    }
    for (int64_t p = 0; p <= partitions; p++) {
        uint32_t here = edges[p];
        edges[p] = before;
        before += here;
    }
    for (int64_t i = 0; i < length; i++) {
        uint32_t place = edges[part_of[i]]++;
        words[place] = word[i];
        if (rows)
            rows[place] = row ? row[i] : (uint32_t)(first_row + i);
    }
    memmove(edges + 1, edges, (size_t)partitions * sizeof *edges); /* each had come to where the next begins */
    edges[0] = 0;
}

/* A block of words made of columns; room has as many words as the block, and part_of numbers. */
WIDER EXPORTED void tallying_part(const void **columns, const int64_t *bytes, const int64_t *bits, int64_t count,
                                  int64_t first, int64_t last, uint64_t shift, uint64_t parts, uint64_t *room,
                                  uint32_t *part_of, uint32_t *edges, uint64_t *words, uint32_t *rows)
{
    for (int64_t at = first; at < last; at += BLOCK)
        pack_block(room + (at - first), at, last - at < BLOCK ? last - at : BLOCK, columns, bytes, bits, count);
    order_block(room, NULL, first, last - first, shift, parts, part_of, edges, words + first,
                rows ? rows + first : NULL);
}

/* The same of words (and rows) that are there, whose places they take. */
EXPORTED void tallying_part_words(uint64_t *words, uint32_t *rows, int64_t first, int64_t last, uint64_t shift,
                                  uint64_t parts, uint64_t *room, uint32_t *room_rows, uint32_t *part_of,
                                  uint32_t *edges)
{
    size_t length = (size_t)(last - first);
    memcpy(room, words + first, length * sizeof *room);
    if (rows)
        memcpy(room_rows, rows + first, length * sizeof *rows);
    order_block(room, rows ? room_rows : NULL, first, last - first, shift, parts, part_of, edges, words + first,
                rows ? rows + first : NULL);
}

/* The words of a partition, one after the other; how many there are. */
static int64_t take_words(const Blocks *all, int64_t p, uint64_t *out)
{
    int64_t size = 0;
    for (int64_t b = 0; b < all->blocks; b++) {
        const uint32_t *edge = all->edges + b * (all->partitions + 1) + p;
        memcpy(out + size, all->words + all->starts[b] + edge[0], (edge[1] - edge[0]) * sizeof *out);
        size += edge[1] - edge[0];
    }
    return size;
}

/* Write as many words, or fewer, where those of a partition were. */
static void put_words(const Blocks *all, int64_t p, const uint64_t *from, int64_t size)
{
    for (int64_t b = 0; b < all->blocks && size > 0; b++) {
        const uint32_t *edge = all->edges + b * (all->partitions + 1) + p;
        int64_t here = edge[1] - edge[0] < size ? edge[1] - edge[0] : size;
        memcpy(all->words + all->starts[b] + edge[0], from, (size_t)here * sizeof *from);
        from += here;
        size -= here;
    }
}

static void exchange(uint32_t *a, uint32_t *b)
{
    if (*a > *b) {
        uint32_t held = *a;
        *a = *b;
        *b = held;
    }
}

/* Sort a few numbers: Shell's way, which is insertion for the fewest. */
static void sort_numbers(uint32_t *numbers, int64_t count)
{
    int64_t gap = 1;
    while (count > FEW && 9 * gap < count)
        gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (int64_t i = gap; i < count; i++) {
            uint32_t held = numbers[i];
            int64_t at = i;
            for (; at >= gap && numbers[at - gap] > held; at -= gap)
                numbers[at] = numbers[at - gap];
            numbers[at] = held;
        }
}

static uint64_t cell_of(uint64_t target, uint64_t count) { return target << COUNT_BITS | count; }

/* The cells of a class from the targets of its records, written one after the other; how many there are.
 * often has a zero for each target, held how many records of larger classes have it. */
static int64_t write_cells(uint32_t *targets, int64_t count, uint64_t shift, uint32_t *often, int64_t *held,
                           uint64_t *out)
{
    int64_t cells = 0;
    if (count > FEW && (int64_t)1 << shift <= 8 * count) {
        for (int64_t i = 0; i < count; i++)
            often[targets[i]]++;
        for (uint64_t x = 0; x < (uint64_t)1 << shift; x++)
            if (often[x]) {
                out[cells++] = cell_of(x, often[x]);
                held[x] += often[x];
                often[x] = 0;
            }
    } else {
        sort_numbers(targets, count);
        for (int64_t i = 0; i < count; cells++) {
            int64_t first = i++;
            while (i < count && targets[i] == targets[first])
                i++;
            out[cells] = cell_of(targets[first], (uint64_t)(i - first));
            held[targets[first]] += i - first;
        }
    }
    out[cells - 1] |= (uint64_t)1 << 63;
    return cells;
}

static int64_t bits_for(int64_t size)
{
    int64_t bits = 1;
    while ((int64_t)1 << bits < size + size / 2)
        bits++;
    return bits;
}

/* Words whose class may have others, brought to the front; how many there are. The targets of the others are tallied.
 *
 * Each class points at a place in a table of bytes, which has eight places or more for a word: a word that is alone there is
 * alone in its class. Nothing here branches, so that the few that share a place cost no more than the others. */
static int64_t leave_singles(uint64_t *word, int64_t size, uint64_t shift, uint64_t parts, uint8_t *places,
                             uint32_t *place_of, int64_t *singles)
{
    int64_t bits = bits_for(size) + 3, left = 0;
    uint64_t mask = ((uint64_t)1 << shift) - 1;
    memset(places, 0, (size_t)1 << bits);
    for (int64_t i = 0; i < size; i++) {
        uint32_t place = (uint32_t)((hash(word[i], shift) << parts) >> (64 - bits));
        place_of[i] = place;
        places[place] += places[place] < 2;
    }
    for (int64_t i = 0; i < size; i++) {
        int64_t shared = places[place_of[i]] > 1;
        singles[word[i] & mask] += 1 - shared;
        word[left] = word[i];
        left += shared;
    }
    return left;
}

/* The slot of each word's class in a table of 2^slots_bits, and how many words every slot has. */
static void find_slots(const uint64_t *word, int64_t size, uint64_t shift, uint64_t parts, int64_t slots_bits,
                       uint64_t *keys, uint32_t *counts, uint32_t *slot_of)
{
    uint64_t last = ((uint64_t)1 << slots_bits) - 1;
    memset(counts, 0, (size_t)(last + 1) * sizeof *counts);
    for (int64_t i = 0; i < size; i++) {
        uint64_t key = word[i] >> shift, slot = (hash(word[i], shift) << parts) >> (64 - slots_bits);
        while (counts[slot] && keys[slot] != key)
            slot = (slot + 1) & last;
        keys[slot] = key;
        counts[slot]++;
        slot_of[i] = (uint32_t)slot;
    }
}

/* Tally the classes of partitions; of classes that are not tallied, write the cells over the partition's words.
 *
 * singles, pairs and triples have a number for each combination of as many targets, in their order; without room for
 * pairs or triples these classes are written like larger ones. found has, for each partition, how many classes and how
 * many cells are written. The table that tells classes apart has a number of slots that is a power of two and more than
 * the words of any partition; keys, counts and starts have room for them, word, slot_of and targets for a partition. */
EXPORTED void tallying_tally(uint64_t *words, const int64_t *starts_of, int64_t blocks, const uint32_t *edges,
                             int64_t partitions, int64_t from, int64_t to, uint64_t shift, uint64_t parts,
                             uint64_t *word, uint64_t *keys, uint32_t *counts, uint32_t *starts, uint32_t *slot_of,
                             uint32_t *targets, uint32_t *often, int64_t *held, int64_t *singles, uint32_t *pairs,
                             uint32_t *triples, int64_t *found)
{
    Blocks all = {words, starts_of, blocks, edges, partitions};
    uint64_t mask = ((uint64_t)1 << shift) - 1;
    for (int64_t p = from; p < to; p++) {
        int64_t size = take_words(&all, p, word), classes = 0, cells = 0, used = 0;
        size = leave_singles(word, size, shift, parts, (uint8_t *)keys, slot_of, singles);
        int64_t slots_bits = bits_for(size), slots = (int64_t)1 << slots_bits;
        find_slots(word, size, shift, parts, slots_bits, keys, counts, slot_of);
        for (int64_t slot = 0; slot < slots; slot++) {
            starts[slot] = (uint32_t)used;
            used += counts[slot] > 1 ? counts[slot] : 0;
        }
        for (int64_t i = 0; i < size; i++) {
            if (counts[slot_of[i]] == 1)
                singles[word[i] & mask]++;
            else
                targets[starts[slot_of[i]]++] = (uint32_t)(word[i] & mask);
        }
        for (int64_t slot = 0, first = 0; slot < slots; slot++) {
            int64_t n = counts[slot];
            if (n < 2)
                continue;
            uint32_t *mine = targets + first;
            first += n;
            if (n == 2 && pairs) {
                exchange(mine, mine + 1);
                pairs[(uint64_t)mine[0] << shift | mine[1]]++;
            } else if (n == 3 && triples) {
                exchange(mine, mine + 1);
                exchange(mine + 1, mine + 2);
                exchange(mine, mine + 1);
                triples[((uint64_t)mine[0] << shift | mine[1]) << shift | mine[2]]++;
            } else {
                cells += write_cells(mine, n, shift, often, held, word + cells);
                classes++;
            }
        }
        put_words(&all, p, word, cells);
        found[2 * p] = classes;
        found[2 * p + 1] = cells;
    }
}

/* The classes whose cells were written over words: their sizes and where their cells end, and the cells' targets, each by
 * its place, and counts, from each partition's two places on. */
EXPORTED void tallying_expand(uint64_t *words, const int64_t *starts_of, int64_t blocks, const uint32_t *edges,
                              int64_t partitions, int64_t from, int64_t to, uint64_t *word, const int64_t *found,
                              const int64_t *places, const int64_t *place_of, int64_t *class_size, int64_t *class_end,
                              int64_t *cell_target, int64_t *cell_count)
{
    Blocks all = {words, starts_of, blocks, edges, partitions};
    uint64_t mask = ((uint64_t)1 << COUNT_BITS) - 1;
    for (int64_t p = from; p < to; p++) {
        int64_t class = places[2 * p], at = places[2 * p + 1], size = 0;
        take_words(&all, p, word);
        for (int64_t i = 0; i < found[2 * p + 1]; i++, at++) {
            int64_t count = (int64_t)(word[i] & mask);
            cell_target[at] = place_of[(word[i] >> COUNT_BITS) & 0xffffffff];
            cell_count[at] = count;
            size += count;
            if (word[i] >> 63) {
                class_size[class] = size;
                class_end[class++] = at + 1;
                size = 0;
            }
        }
    }
}

/* Keep the rows of classes of two or more, class by class; tally the targets of single rows. Each row that is kept is
 * written over the partition's words, below the number of its class in the partition; found has how many classes and rows
 * that are. */
EXPORTED void tallying_group(uint64_t *words, const uint32_t *rows, const int64_t *starts_of, int64_t blocks,
                             const uint32_t *edges, int64_t partitions, int64_t from, int64_t to, uint64_t parts,
                             const void *target, int64_t target_bytes, uint64_t *word, uint64_t *keys,
                             uint32_t *counts, uint32_t *starts, uint32_t *slot_of, int64_t *singles, int64_t *found)
{
    Blocks all = {words, starts_of, blocks, edges, partitions};
    for (int64_t p = from; p < to; p++) {
        int64_t size = take_words(&all, p, word), slots_bits = bits_for(size), slots = (int64_t)1 << slots_bits;
        uint32_t class = 0, end = 0;
        find_slots(word, size, 0, parts, slots_bits, keys, counts, slot_of);
        for (int64_t slot = 0; slot < slots; slot++)
            if (counts[slot] > 1) {
                starts[slot] = end;
                end += counts[slot];
                counts[slot] = ++class + 1;
            }
        for (int64_t b = 0, i = 0; b < blocks; b++) {
            const uint32_t *edge = edges + b * (partitions + 1) + p, *row = rows + starts_of[b];
            for (uint32_t at = edge[0]; at < edge[1]; at++, i++) {
                uint32_t slot = slot_of[i];
                if (counts[slot] == 1)
                    singles[code_at(target, target_bytes, row[at])]++;
                else
                    word[starts[slot]++] = (uint64_t)(counts[slot] - 2) << 32 | row[at];
            }
        }
        put_words(&all, p, word, end);
        found[2 * p] = class;
        found[2 * p + 1] = end;
    }
}

/* The rows that were kept and their classes, numbered through all partitions, from each partition's two places on. */
EXPORTED void tallying_gather(uint64_t *words, const int64_t *starts_of, int64_t blocks, const uint32_t *edges,
                              int64_t partitions, int64_t from, int64_t to, uint64_t *word, const int64_t *found,
                              const int64_t *places, uint32_t *rows, uint64_t *classes)
{
    Blocks all = {words, starts_of, blocks, edges, partitions};
    for (int64_t p = from; p < to; p++) {
        int64_t at = places[2 * p + 1];
        take_words(&all, p, word);
        for (int64_t i = 0; i < found[2 * p + 1]; i++, at++) {
            rows[at] = (uint32_t)word[i];
            classes[at] = (uint64_t)places[2 * p] + (word[i] >> 32);
        }
    }
}
