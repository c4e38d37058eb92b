/* Lines of text as codes: each cell is looked up among the texts of its column that were met before.
 *
 * Only lines that can be read in one way are read: everything doubtful (a quote inside of a cell, a line with more or
 * fewer cells, \r alone, a byte 0) is left to a reader that can say what is wrong. */

#include "loops.h"

#define DOUBTFUL (-1)
#define NO_MEMORY (-2)
#define FEWEST 64 /* places of a new table */
#define WAITING 32 /* cells that are looked up together, so that the processor fetches their places meanwhile */

typedef struct {
    uint64_t begin; /* the first eight bytes, zeros behind a shorter text */
    uint32_t length;
    uint32_t code; /* 0 where there is none */
} Place;

typedef struct {
    Place *places; /* by the hash of the text; a power of two, at most half of them taken */
    int64_t room;
    int64_t count; /* of texts, which have the codes 1 to count */
    int64_t *start; /* where each text begins, and the last ends */
    int64_t starts;
    uint8_t *text;
    int64_t texts;
} Texts;

typedef struct {
    const uint8_t *text;
    int64_t length;
    uint64_t begin;
    uint64_t hash;
    Texts *column;
    uint32_t *code;
} Cell;

typedef struct {
    int64_t width;
    uint32_t *marks; /* where separators, quotes and line ends are */
    int64_t marked;
    Texts *columns;
} Reader;

static uint64_t word_at(const uint8_t *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* The first eight bytes of a text, zeros behind a shorter one, of which so many bytes may be read. */
static uint64_t beginning(const uint8_t *text, int64_t length, int64_t readable)
{
    static const uint8_t kept[16] = {255, 255, 255, 255, 255, 255, 255, 255};
    if (length >= 8)
        return word_at(text);
    if (readable >= 8)
        return word_at(text) & word_at(kept + 8 - length);
    uint8_t bytes[8] = {0};
    memcpy(bytes, text, (size_t)length);
    return word_at(bytes);
}

static uint64_t hashed(uint64_t begin, const uint8_t *text, int64_t length)
{
    uint64_t hash = (begin ^ (uint64_t)length * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
    for (int64_t at = 8; at < length; at += 8) /* the last eight bytes may overlap those before */
        hash = (hash ^ hash >> 29 ^ word_at(text + (at + 8 <= length ? at : length - 8))) * 0xc4ceb9fe1a85ec53;
    return hash ^ hash >> 32;
}

/* Whether texts of more than eight bytes that begin with the same eight are the same. */
static int goes_on(const uint8_t *one, const uint8_t *other, int64_t length)
{
    if (length <= 16)
        return word_at(one + length - 8) == word_at(other + length - 8);
    return !memcmp(one + 8, other + 8, (size_t)(length - 8));
}

/* Twice as many places, each text where its hash is. */
static int grow(Texts *texts)
{
    int64_t room = texts->room ? 2 * texts->room : FEWEST;
    Place *places = calloc((size_t)room, sizeof(Place));
    if (!places)
        return 0;
    for (int64_t old = 0; old < texts->room; old++) {
        Place one = texts->places[old];
        if (!one.code)
            continue;
        const uint8_t *text = texts->text + texts->start[one.code - 1];
        uint64_t at = hashed(one.begin, text, one.length) & (uint64_t)(room - 1);
        while (places[at].code)
            at = (at + 1) & (uint64_t)(room - 1);
        places[at] = one;
    }
    free(texts->places);
    texts->places = places;
    texts->room = room;
    return 1;
}

/* Keep a text that is new; its code, or 0 where there is no memory for it. */
static uint32_t keep(Texts *texts, const uint8_t *text, int64_t length)
{
    if (texts->count + 2 > texts->starts) {
        int64_t starts = 2 * texts->starts + FEWEST;
        int64_t *start = realloc(texts->start, (size_t)starts * sizeof(int64_t));
        if (!start)
            return 0;
        if (!texts->starts)
            start[0] = 0;
        texts->start = start;
        texts->starts = starts;
    }
    int64_t first = texts->start[texts->count];
    if (first + length > texts->texts) {
        int64_t room = 2 * (first + length) + FEWEST;
        uint8_t *wider = realloc(texts->text, (size_t)room);
        if (!wider)
            return 0;
        texts->text = wider;
        texts->texts = room;
    }
    memcpy(texts->text + first, text, (size_t)length);
    texts->start[++texts->count] = first + length;
    return (uint32_t)texts->count;
}

/* The code of a cell; 0 where there is no memory for a new one. */
static uint32_t code_of(const Cell *cell)
{
    Texts *texts = cell->column;
    uint64_t mask = (uint64_t)(texts->room - 1), at = cell->hash & mask;
    for (; texts->places[at].code; at = (at + 1) & mask) {
        const Place *one = &texts->places[at];
        if (one->begin == cell->begin && one->length == (uint32_t)cell->length &&
            (cell->length <= 8 || goes_on(texts->text + texts->start[one->code - 1], cell->text, cell->length)))
            return one->code;
    }
    uint32_t code = keep(texts, cell->text, cell->length);
    if (!code)
        return 0;
    texts->places[at] = (Place){cell->begin, (uint32_t)cell->length, code};
    if (2 * texts->count > texts->room && !grow(texts))
        return 0;
    return code;
}

static int look_up(const Cell *cells, int count)
{
    for (int i = 0; i < count; i++)
        if (!(*cells[i].code = code_of(&cells[i])))
            return 0;
    return 1;
}

/* A reader of lines with so many cells; NULL where there is no memory for it. */
EXPORTED void *reader_new(int64_t width)
{
    Reader *reader = calloc(1, sizeof(Reader));
    if (!reader)
        return NULL;
    reader->columns = calloc((size_t)width, sizeof(Texts));
    reader->width = reader->columns ? width : 0;
    int whole = reader->columns != NULL;
    for (int64_t place = 0; whole && place < width; place++)
        whole = grow(&reader->columns[place]);
    if (whole)
        return reader;
    for (int64_t place = 0; place < reader->width; place++)
        free(reader->columns[place].places);
    free(reader->columns);
    free(reader);
    return NULL;
}

EXPORTED void reader_free(Reader *reader)
{
    for (int64_t place = 0; place < reader->width; place++) {
        free(reader->columns[place].places);
        free(reader->columns[place].start);
        free(reader->columns[place].text);
    }
    free(reader->columns);
    free(reader->marks);
    free(reader);
}

/* Where bytes are that mean something. */
static int64_t mark(const uint8_t *text, int64_t length, uint8_t separator, int64_t quote, uint32_t *marks)
{
    uint8_t means[256] = {0};
    int64_t count = 0;
    means[separator] = means['\n'] = means['\r'] = means[0] = 1;
    if (quote >= 0)
        means[quote] = 1;
    for (int64_t at = 0; at < length; at++) {
        marks[count] = (uint32_t)at;
        count += means[text[at]];
    }
    return count;
}

/* Doubled quotes of a cell become single ones, in its own place; says how long it is then. */
static int64_t undoubled(uint8_t *cell, int64_t length, uint8_t quote)
{
    int64_t kept = 0;
    for (int64_t at = 0; at < length; at++) {
        cell[kept++] = cell[at];
        if (cell[at] == quote)
            at++;
    }
    return kept;
}

/* Read whole lines into codes, those of a column beside each other in room for so many lines. A quote below 0 is none.
 * Says how many records there are; below 0, that the lines are doubtful or that there is no memory. */
EXPORTED int64_t reader_read(Reader *reader, uint8_t *text, int64_t length, int64_t separator, int64_t quote,
                             uint32_t *codes, int64_t room)
{
    if (length + 1 > reader->marked) {
        free(reader->marks);
        reader->marks = malloc((size_t)(length + 1) * sizeof(uint32_t));
        reader->marked = reader->marks ? length + 1 : 0;
        if (!reader->marks)
            return NO_MEMORY;
    }
    const uint32_t *marks = reader->marks;
    int64_t count = mark(text, length, (uint8_t)separator, quote, reader->marks);
    int64_t next = 0, at = 0, place = 0, row = 0;
    Cell cells[WAITING];
    int waiting = 0;
    while (at < length) {
        int64_t first = at, size, end;
        int quoted = quote >= 0 && text[at] == quote;
        if (quoted) {
            int doubled = 0;
            for (first = at + 1, next++;; next += 2, doubled = 1) {
                while (next < count && text[marks[next]] && text[marks[next]] != quote)
                    next++;
                if (next == count || !text[marks[next]])
                    return DOUBTFUL;
                end = marks[next];
                if (end + 1 == length || text[end + 1] != quote)
                    break;
            }
            next++;
            size = doubled ? undoubled(text + first, end - first, (uint8_t)quote) : end - first;
            end++;
            if (end < length && (next == count || marks[next] != end))
                return DOUBTFUL;
        } else {
            end = next < count ? marks[next] : length;
            size = end - first;
        }
        int last = end == length || text[end] != separator;
        at = end + 1;
        if (end < length) {
            next++;
            if (text[end] == '\r') {
                if (at == length || text[at] != '\n')
                    return DOUBTFUL;
                next++;
                at++;
            } else if (text[end] != '\n' && (last || at == length))
                return DOUBTFUL; /* a quote or a byte 0; or the text ends with a separator */
        }
        if (last && place == 0 && size == 0 && !quoted)
            continue; /* a blank line */
        if (place == reader->width || row == room || size > UINT32_MAX)
            return DOUBTFUL;
        uint32_t *code = &codes[place * room + row];
        if (size) {
            const uint8_t *cell = text + first;
            Texts *column = &reader->columns[place];
            uint64_t begin = beginning(cell, size, length - first), hash = hashed(begin, cell, size);
            FETCH(&column->places[hash & (uint64_t)(column->room - 1)]);
            cells[waiting++] = (Cell){cell, size, begin, hash, column, code};
            if (waiting == WAITING) {
                if (!look_up(cells, waiting))
                    return NO_MEMORY;
                waiting = 0;
            }
        } else
            *code = 0;
        place++;
        if (last) {
            if (place != reader->width)
                return DOUBTFUL;
            place = 0;
            row++;
        }
    }
    return look_up(cells, waiting) ? row : NO_MEMORY;
}

/* Where the last line ends that is whole, in text that begins with a line; 0 where none is. */
EXPORTED int64_t reader_lines_end(const uint8_t *text, int64_t length, int64_t quote)
{
    int64_t end = 0;
    int inside = 0;
    for (int64_t at = 0; at < length; at++) {
        inside ^= text[at] == quote;
        if (text[at] == '\n' && !inside)
            end = at + 1;
    }
    return end;
}

/* How many texts a column has, and how many bytes they have together. */
EXPORTED int64_t reader_texts(const Reader *reader, int64_t column, int64_t *bytes)
{
    const Texts *texts = &reader->columns[column];
    *bytes = texts->count ? texts->start[texts->count] : 0;
    return texts->count;
}

EXPORTED void reader_copy(const Reader *reader, int64_t column, uint8_t *text, int64_t *length)
{
    const Texts *texts = &reader->columns[column];
    if (texts->count)
        memcpy(text, texts->text, (size_t)texts->start[texts->count]);
    for (int64_t code = 0; code < texts->count; code++)
        length[code] = texts->start[code + 1] - texts->start[code];
}

typedef struct {
    uint64_t begin; /* the first eight bytes as a number, so that numbers are in the order of texts */
    const uint8_t *text;
    int64_t length;
    int64_t entry;
} Entry;

static int by_bytes(const void *left, const void *right)
{
    const Entry *one = left, *other = right;
    if (one->begin != other->begin)
        return one->begin < other->begin ? -1 : 1;
    int64_t shared = one->length < other->length ? one->length : other->length;
    int found = shared > 8 ? memcmp(one->text + 8, other->text + 8, (size_t)(shared - 8)) : 0;
    if (found)
        return found;
    return (one->length > other->length) - (one->length < other->length);
}

/* Number texts from 1 on in the order of their bytes, equal ones alike, and copy each once in that order. Says how many
 * numbers there are; below 0, that there is no memory. */
EXPORTED int64_t reader_order(const uint8_t *text, const int64_t *length, int64_t count, uint32_t *number,
                              uint8_t *ordered, int64_t *ordered_length)
{
    Entry *entries = malloc((size_t)(count + 1) * sizeof(Entry));
    if (!entries)
        return NO_MEMORY;
    for (int64_t entry = 0; entry < count; entry++) {
        uint64_t begin = 0;
        for (int64_t at = 0; at < 8; at++)
            begin = begin << 8 | (at < length[entry] ? text[at] : 0);
        entries[entry] = (Entry){begin, text, length[entry], entry};
        text += length[entry];
    }
    qsort(entries, (size_t)count, sizeof(Entry), by_bytes);
    int64_t found = 0;
    for (int64_t place = 0; place < count; place++) {
        const Entry *one = &entries[place];
        if (!place || by_bytes(one, &entries[place - 1])) {
            memcpy(ordered, one->text, (size_t)one->length);
            ordered += one->length;
            ordered_length[found++] = one->length;
        }
        number[one->entry] = (uint32_t)found;
    }
    free(entries);
    return found;
}

#define RENUMBER(From, To) \
    for (int64_t i = 0; i < count; i++) \
        ((To *)out)[i] = (To)number[((const From *)codes)[i]]
#define RENUMBER_TO(To) \
    do { \
        if (width == 1) \
            RENUMBER(uint8_t, To); \
        else if (width == 2) \
            RENUMBER(uint16_t, To); \
        else \
            RENUMBER(uint32_t, To); \
    } while (0)

/* Codes of so many bytes each replaced by the numbers that they have in the order of texts, of so many bytes each. */
EXPORTED void reader_renumber(const uint32_t *number, const void *codes, int64_t width, int64_t count, void *out,
                              int64_t out_width)
{
    if (out_width == 1)
        RENUMBER_TO(uint8_t);
    else if (out_width == 2)
        RENUMBER_TO(uint16_t);
    else
        RENUMBER_TO(uint32_t);
}
