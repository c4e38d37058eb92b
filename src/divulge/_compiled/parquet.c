/* Columns of Parquet files read straight to codes.
 *
 * A column is a row of pages, each behind a header (Thrift, compact). A page that refers to a dictionary holds places in
 * it, in runs: one place repeated, or places packed bit by bit. What a place stands for is looked up in a table of
 * codes, so no value is ever made. Nothing is trusted: every length is held to the bytes there are. What is not known
 * here, or not sound, is said to be so and left to other readers.
 *
 * Eight bytes behind what is read have to be there: numbers are taken eight bytes at a time.
 */

#include "loops.h"
#include "places.h"

enum { UNSOUND = -1, UNKNOWN = -2, NO_MEMORY = -3 };
enum { DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_2 };
enum { PLAIN = 0, PLAIN_DICTIONARY = 2, RLE_DICTIONARY = 8 };
enum { UNCOMPRESSED, SNAPPY };
#define NOWHERE 0x80000000u /* what a table has for places that no entry of the dictionary is in */
#define PAIRED 6            /* bits of a place up to which two are looked up together */
#define DEEPEST 8           /* structs within structs in a header */

typedef struct {
    const uint8_t *at, *end;
    int broken;
} Input;

static uint64_t varint(Input *in)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        uint8_t byte = *in->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    in->broken = 1;
    return 0;
}

static int64_t zigzag(Input *in)
{
    uint64_t value = varint(in);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static uint64_t eight_bytes(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* -- headers -- */

typedef struct {
    int64_t kind, size, packed_size, values, encoding, level_bytes, repeat_bytes, packed, body;
} Page;

/* The next field of a struct; 0 at its end. Booleans have their value as their kind, 1 for true. */
static int next_field(Input *in, int64_t *number, int *kind)
{
    if (in->at >= in->end) {
        in->broken = 1;
        return 0;
    }
    uint8_t byte = *in->at++;
    *kind = byte & 15;
    if (!*kind)
        return 0;
    *number = byte >> 4 ? *number + (byte >> 4) : zigzag(in);
    return !in->broken;
}

static void skip(Input *in, int kind, int depth)
{
    int64_t number = 0, length = 0;
    if (kind == 4 || kind == 5 || kind == 6)
        varint(in);
    else if (kind == 3 || kind == 7 || kind == 8) {
        length = kind == 3 ? 1 : kind == 7 ? 8 : (int64_t)varint(in);
        if (length < 0 || length > in->end - in->at)
            in->broken = 1;
        else
            in->at += length;
    } else if (kind == 12 && depth < DEEPEST) {
        while (next_field(in, &number, &kind))
            skip(in, kind, depth + 1);
    } else if (kind != 1 && kind != 2)
        in->broken = 1; /* lists and maps: no page has them */
}

/* What a header says of the values of its page; of version 2 the encoding is another field. */
static void read_details(Input *in, Page *page, int second)
{
    int64_t number = 0;
    int kind;
    while (next_field(in, &number, &kind)) {
        if (number == 7 && second && (kind == 1 || kind == 2))
            page->packed = kind == 1;
        else if (kind != 5)
            skip(in, kind, 0);
        else if (number == 1)
            page->values = zigzag(in);
        else if (number == (second ? 4 : 2))
            page->encoding = zigzag(in);
        else if (number == 5 && second)
            page->level_bytes = zigzag(in);
        else if (number == 6 && second)
            page->repeat_bytes = zigzag(in);
        else
            varint(in);
    }
}

/* Read a header; false where it is not sound, or its page not whole. */
static int read_header(const uint8_t *bytes, int64_t size, Page *page)
{
    Input in = {bytes, bytes + size, 0};
    int64_t number = 0;
    int kind;
    *page = (Page){-1, -1, -1, -1, -1, 0, 0, 1, 0};
    while (next_field(&in, &number, &kind)) {
        if (number <= 3 && kind == 5) {
            int64_t found = zigzag(&in);
            *(number == 1 ? &page->kind : number == 2 ? &page->size : &page->packed_size) = found;
        } else if ((number == 5 || number == 7 || number == 8) && kind == 12)
            read_details(&in, page, number == 8);
        else
            skip(&in, kind, 0);
    }
    page->body = in.at - bytes;
    int64_t levels = page->level_bytes + page->repeat_bytes;
    return !in.broken && page->size >= 0 && page->packed_size >= 0 && page->packed_size <= size - page->body &&
           page->level_bytes >= 0 && page->repeat_bytes >= 0 && levels <= page->packed_size && levels <= page->size;
}

/* The header at the beginning of some bytes, as numbers in the order of Page; below 0 where it is not sound. */
EXPORTED int64_t parquet_header(const uint8_t *bytes, int64_t size, int64_t *found)
{
    Page page;
    if (!read_header(bytes, size, &page))
        return UNSOUND;
    memcpy(found, &page, sizeof page);
    return 0;
}

/* -- snappy -- */

/* Unpack bytes into a room of just their size; below 0 where they are not sound. */
EXPORTED int64_t parquet_unpack(const uint8_t *packed, int64_t packed_size, uint8_t *out, int64_t size)
{
    Input in = {packed, packed + packed_size, 0};
    int64_t at = 0;
    if (varint(&in) != (uint64_t)size || in.broken)
        return UNSOUND;
    while (in.at < in.end) {
        uint8_t tag = *in.at++;
        int64_t length = (tag >> 2) + 1, back = 0, more = 0;
        if (!(tag & 3)) {
            if (length > 60) {
                more = length - 60;
                if (more > in.end - in.at)
                    return UNSOUND;
                length = (int64_t)(eight_bytes(in.at) & (((uint64_t)1 << 8 * more) - 1)) + 1;
                in.at += more;
            }
            if (length > in.end - in.at || length > size - at)
                return UNSOUND;
            memcpy(out + at, in.at, (size_t)length);
            in.at += length;
            at += length;
            continue;
        }
        more = (tag & 3) == 3 ? 4 : tag & 3;
        if (more > in.end - in.at)
            return UNSOUND;
        back = (int64_t)(eight_bytes(in.at) & (((uint64_t)1 << 8 * more) - 1));
        if (more == 1) {
            length = ((tag >> 2) & 7) + 4;
            back |= (int64_t)(tag >> 5) << 8;
        }
        in.at += more;
        if (back < 1 || back > at || length > size - at)
            return UNSOUND;
        if (back >= length)
            memcpy(out + at, out + at - back, (size_t)length);
        else
            for (int64_t i = 0; i < length; i++)
                out[at + i] = out[at + i - back];
        at += length;
    }
    return at == size ? 0 : UNSOUND;
}

/* -- places and codes -- */

typedef struct {
    const uint32_t *codes; /* of each place, 2^bits of them */
    int64_t bits;
    int64_t paired; /* the bits of a place for which pairs are made; below 0 before */
    uint32_t pairs[1 << 2 * PAIRED];
    Places few;
} Table;

/* Codes of two places one behind the other, a byte each, for places of so many bits. */
static void make_pairs(Table *table, int64_t bits)
{
    if (table->paired == bits)
        return;
    for (uint32_t i = 0; i < (uint32_t)1 << 2 * bits; i++) {
        uint32_t one = table->codes[i & (((uint32_t)1 << bits) - 1)], other = table->codes[i >> bits];
        table->pairs[i] = (one & 255) | (other & 255) << 8 | ((one | other) & NOWHERE);
    }
    table->paired = bits;
}

/* So many places packed bit by bit, as codes; what was seen together says whether a place is nowhere. */
#define UNPACK(Type) \
    for (; i + 8 <= count && bits <= 8; i += 8, at += bits) { \
        uint64_t word = eight_bytes(at); \
        for (int j = 0; j < 8; j++, word >>= bits) { \
            uint32_t code = table->codes[word & mask]; \
            seen |= code; \
            ((Type *)out)[i + j] = (Type)code; \
        } \
    } \
    for (int64_t bit = 0; i < count; i++, bit += bits) { \
        uint32_t code = table->codes[(eight_bytes(at + (bit >> 3)) >> (bit & 7)) & mask]; \
        seen |= code; \
        ((Type *)out)[i] = (Type)code; \
    }

static uint32_t unpack(Table *table, const uint8_t *at, int64_t readable, int64_t bits, int64_t count, void *out,
                       int64_t out_bytes)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint32_t seen = 0;
    int64_t i = 0;
    if (out_bytes == 1 && bits && bits <= FEW && count >= ABREAST && ABREAST_THERE) {
        int64_t largest = -1;
        if (table->few.bits != bits)
            make_places(&table->few, table->codes, bits, NOWHERE);
        if (table->few.entries) {
            i = look_up_abreast(&table->few, at, readable, count, out, &largest);
            at += i / 8 * bits;
            seen = largest < table->few.entries ? 0 : NOWHERE;
        }
    }
    if (out_bytes == 1 && bits <= PAIRED && count - i >= 8) {
        uint64_t pair = ((uint64_t)1 << 2 * bits) - 1;
        make_pairs(table, bits);
        for (; i + 8 <= count; i += 8, at += bits) {
            uint64_t word = eight_bytes(at), codes = 0;
            for (int j = 0; j < 4; j++, word >>= 2 * bits) {
                uint32_t two = table->pairs[word & pair];
                seen |= two;
                codes |= (uint64_t)(two & 0xFFFF) << 16 * j;
            }
            for (int j = 0; j < 8; j++)
                ((uint8_t *)out)[i + j] = (uint8_t)(codes >> 8 * j);
        }
    }
    if (out_bytes == 1) {
        UNPACK(uint8_t)
    } else if (out_bytes == 2) {
        UNPACK(uint16_t)
    } else {
        UNPACK(uint32_t)
    }
    return seen;
}

static void fill(uint32_t code, int64_t count, void *out, int64_t out_bytes)
{
    if (out_bytes == 1)
        memset(out, (int)code, (size_t)count);
    else if (out_bytes == 2)
        for (int64_t i = 0; i < count; i++)
            ((uint16_t *)out)[i] = (uint16_t)code;
    else
        for (int64_t i = 0; i < count; i++)
            ((uint32_t *)out)[i] = code;
}

/* So many places in runs, as codes. */
static int64_t read_runs(Input *in, Table *table, int64_t bits, int64_t count, uint8_t *out, int64_t out_bytes)
{
    uint32_t seen = 0;
    if (bits > table->bits)
        return UNKNOWN;
    while (count) {
        uint64_t run = varint(in), length = run >> 1;
        int64_t many = 0, bytes = (bits + 7) / 8;
        if (in->broken)
            return UNSOUND;
        if (run & 1) {
            if (bits && length > (uint64_t)((in->end - in->at) / bits))
                return UNSOUND;
            many = length > (uint64_t)count / 8 ? count : (int64_t)length * 8;
            seen |= unpack(table, in->at, in->end - in->at + 8, bits, many, out, out_bytes);
            in->at += bits ? (int64_t)length * bits : 0;
        } else {
            if (length > (uint64_t)count || bytes > in->end - in->at)
                return UNSOUND;
            uint64_t place = eight_bytes(in->at) & (((uint64_t)1 << 8 * bytes) - 1);
            if (place >> table->bits)
                return UNSOUND;
            many = (int64_t)length;
            seen |= table->codes[place];
            fill(table->codes[place], many, out, out_bytes);
            in->at += bytes;
        }
        out += many * out_bytes;
        count -= many;
    }
    return seen & NOWHERE ? UNSOUND : 0;
}

/* -- pages -- */

typedef struct {
    int64_t optional;   /* whether values may be missing */
    int64_t value_bytes; /* of integers that are written as they are: 4 or 8; 0 for none */
    int64_t low, high;  /* between which these lie; the code of the lowest is 1 */
    Table table;
} Column;

/* Integers written as they are, as codes. */
static int64_t read_integers(Input *in, const Column *column, int64_t count, void *out, int64_t out_bytes)
{
    if (!column->value_bytes)
        return UNKNOWN;
    if (count > (in->end - in->at) / column->value_bytes)
        return UNSOUND;
    uint64_t span = (uint64_t)column->high - (uint64_t)column->low, outside = 0;
    for (int64_t i = 0; i < count; i++, in->at += column->value_bytes) {
        uint64_t word = eight_bytes(in->at);
        int64_t value = column->value_bytes == 4 ? (int64_t)(int32_t)(uint32_t)word : (int64_t)word;
        uint64_t place = (uint64_t)value - (uint64_t)column->low;
        outside |= place > span;
        if (out_bytes == 1)
            ((uint8_t *)out)[i] = (uint8_t)(place + 1);
        else if (out_bytes == 2)
            ((uint16_t *)out)[i] = (uint16_t)(place + 1);
        else
            ((uint32_t *)out)[i] = (uint32_t)(place + 1);
    }
    return outside ? UNSOUND : 0;
}

static int64_t read_values(Input *in, Column *column, int64_t encoding, int64_t count, void *out, int64_t out_bytes)
{
    if (encoding == PLAIN)
        return read_integers(in, column, count, out, out_bytes);
    if (encoding != PLAIN_DICTIONARY && encoding != RLE_DICTIONARY)
        return UNKNOWN;
    if (!count)
        return 0;
    if (in->at >= in->end)
        return UNSOUND;
    int64_t bits = *in->at++;
    return bits > 32 ? UNSOUND : read_runs(in, &column->table, bits, count, out, out_bytes);
}

#define SPREAD(Type) \
    for (int64_t i = 0; i < count; i++) { \
        ((Type *)out)[i] = there[i] ? ((const Type *)codes)[next] : 0; \
        next += there[i]; \
    }

/* Codes of a page some of whose values may be missing; ``levels`` say which are there. */
static int64_t read_optional(Input *levels, Input *in, Column *column, const Page *page, void *out, int64_t out_bytes)
{
    static const uint32_t both[2] = {0, 1};
    int64_t count = page->values, present = 0, next = 0, failed;
    Input peek = *levels;
    uint64_t run = varint(&peek);
    if (!peek.broken && run == (uint64_t)count << 1 && peek.at < peek.end && *peek.at == 1)
        return read_values(in, column, page->encoding, count, out, out_bytes); /* all are there */
    Table levels_table;
    levels_table.codes = both;
    levels_table.bits = 1;
    levels_table.paired = levels_table.few.bits = -1;
    uint8_t *there = malloc((size_t)count * 5 + 16), *codes = there + (count + 7) / 4 * 4;
    if (!there)
        return NO_MEMORY;
    failed = read_runs(levels, &levels_table, 1, count, there, 1);
    for (int64_t i = 0; !failed && i < count; i++)
        present += there[i];
    if (!failed)
        failed = read_values(in, column, page->encoding, present, codes, out_bytes);
    if (!failed) {
        if (out_bytes == 1)
            SPREAD(uint8_t)
        else if (out_bytes == 2)
            SPREAD(uint16_t)
        else
            SPREAD(uint32_t)
    }
    free(there);
    return failed;
}

/* Codes of a page, whose bytes are no longer packed. */
static int64_t read_page(const uint8_t *bytes, Column *column, const Page *page, void *out, int64_t out_bytes)
{
    Input in = {bytes, bytes + page->size, 0}, levels = in;
    int64_t length = page->level_bytes;
    if (page->repeat_bytes)
        return UNKNOWN;
    if (page->kind == DATA_PAGE && column->optional) {
        if (in.end - in.at < 4)
            return UNSOUND;
        length = (int64_t)(eight_bytes(in.at) & 0xFFFFFFFFu);
        in.at += 4;
    }
    if (length > in.end - in.at)
        return UNSOUND;
    levels.at = in.at;
    levels.end = in.at += length;
    if (!column->optional)
        return read_values(&in, column, page->encoding, page->values, out, out_bytes);
    return read_optional(&levels, &in, column, page, out, out_bytes);
}

/* Put together what pages of values hold, packed as it is: of one, or of as many as hold so many bytes unpacked. It ends
 * before a page some of which is not packed. ``found`` has how many bytes the pages have, those put together, those they
 * hold, and their records; below 0 where they are not sound. */
EXPORTED int64_t parquet_join(const uint8_t *bytes, int64_t size, int64_t records, int64_t most, uint8_t *out,
                              int64_t *found)
{
    memset(found, 0, 4 * sizeof *found);
    while (found[3] < records) {
        Page page;
        if (!read_header(bytes + found[0], size - found[0], &page))
            return UNSOUND;
        if (page.kind == DATA_PAGE || page.kind == DATA_PAGE_2) {
            if (page.values < 0 || page.values > records - found[3])
                return UNSOUND;
            if (!page.packed || page.level_bytes || page.repeat_bytes || (found[2] && page.size > most - found[2]))
                break;
            memcpy(out + found[1], bytes + found[0] + page.body, (size_t)page.packed_size);
            found[1] += page.packed_size;
            found[2] += page.size;
            found[3] += page.values;
        }
        found[0] += page.body + page.packed_size;
    }
    return 0;
}

/* Read the pages of a column one behind the other, packed or not, as codes of so many bytes: just so many records.
 * ``known`` has whether values may be missing, the bytes of integers, and between which they lie; ``bits`` says how
 * many entries the table of codes has. Where ``unpacked`` is given it has what the pages of values hold. */
EXPORTED int64_t parquet_codes(const uint8_t *bytes, int64_t size, int64_t packing, const uint8_t *unpacked,
                               int64_t unpacked_size, const int64_t *known, const uint32_t *table, int64_t bits,
                               uint8_t *out, int64_t out_bytes, int64_t records)
{
    Column *column = malloc(sizeof *column);
    uint8_t *room = NULL;
    int64_t room_size = 0, failed = column ? 0 : NO_MEMORY;
    if (column) {
        *column = (Column){known[0], known[1], known[2], known[3], {table, bits, -1, {0}, {-1, 0, {0}, {0}, {0}}}};
    }
    while (!failed && records) {
        Page page;
        if (!read_header(bytes, size, &page)) {
            failed = UNSOUND;
            break;
        }
        const uint8_t *body = bytes + page.body, *whole = unpacked ? unpacked : body;
        bytes = body + page.packed_size;
        size -= page.body + page.packed_size;
        if (page.kind == INDEX_PAGE || page.kind == DICTIONARY_PAGE)
            continue;
        if ((page.kind != DATA_PAGE && page.kind != DATA_PAGE_2) || page.values < 0 || page.values > records) {
            failed = UNSOUND;
            break;
        }
        if (!unpacked && packing == SNAPPY && page.packed) {
            int64_t plain = page.kind == DATA_PAGE_2 ? page.level_bytes + page.repeat_bytes : 0;
            if (page.size + 8 > room_size) {
                free(room);
                room = malloc((size_t)(room_size = page.size + page.size / 4 + 8));
            }
            if (!room) {
                failed = NO_MEMORY;
                break;
            }
            memcpy(room, body, (size_t)plain);
            failed = page.size == plain
                         ? 0
                         : parquet_unpack(body + plain, page.packed_size - plain, room + plain, page.size - plain);
            whole = room;
        } else if (page.size > (unpacked ? unpacked_size : page.packed_size))
            failed = UNSOUND;
        if (unpacked) {
            unpacked += page.size;
            unpacked_size -= page.size;
        }
        if (!failed)
            failed = read_page(whole, column, &page, out, out_bytes);
        records -= page.values;
        out += page.values * out_bytes;
    }
    free(room);
    free(column);
    return failed;
}
