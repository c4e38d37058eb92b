/* Large arrays of NumPy in room that others of their size have left: the system clears new room, which may take longer
 * than what is done with it. Structures are those of NumPy's handlers of memory, which it has kept since 1.22. */

#include <stdatomic.h>

#include "loops.h"

#define LEAST ((size_t)1 << 22) /* bytes from which on room is kept */
#define MOST ((size_t)1 << 29)  /* bytes that are kept at a time */
#define KEPT 128                /* rooms that are kept at a time */

typedef struct {
    void *context;
    void *(*reserve)(void *, size_t);
    void *(*reserve_cleared)(void *, size_t, size_t);
    void *(*resize)(void *, void *, size_t);
    void (*release)(void *, void *, size_t);
} Allocator;

typedef struct {
    char name[127];
    uint8_t version;
    Allocator allocator;
} Handler;

typedef struct {
    void *at;
    size_t size;
} Room;

static Allocator usual;
static Room kept[KEPT]; /* the oldest first */
static int64_t rooms, users;
static size_t held;
static atomic_flag taken = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_release);
}

/* Rooms come in sixteen sizes between one power of two and the next, so that those of a size fit each other. */
static size_t rounded(size_t size)
{
    size_t step = LEAST >> 4;
    while (size >> 5 >= step)
        step <<= 1;
    return (size + step - 1) & ~(step - 1);
}

/* Take a room off the list; the lock is held. */
static void *taken_off(int64_t which)
{
    void *at = kept[which].at;
    held -= kept[which].size;
    rooms--;
    memmove(kept + which, kept + which + 1, (size_t)(rooms - which) * sizeof *kept);
    return at;
}

static void *used_again(size_t size)
{
    void *at = NULL;
    lock();
    for (int64_t i = rooms - 1; i >= 0 && !at; i--)
        if (kept[i].size == size)
            at = taken_off(i);
    unlock();
    return at;
}

/* Give rooms back to the system, the oldest first, until there is space for one more; all of them without one. */
static void give_back(size_t more)
{
    for (;;) {
        lock();
        int full = rooms && (!more || rooms == KEPT || held + more > MOST);
        size_t size = full ? kept[0].size : 0;
        void *at = full ? taken_off(0) : NULL;
        unlock();
        if (!full)
            return;
        usual.release(usual.context, at, size);
    }
}

static void *reserve(void *context, size_t size)
{
    (void)context;
    if (size < LEAST)
        return usual.reserve(usual.context, size);
    size = rounded(size);
    void *at = used_again(size);
    if (!at && !(at = usual.reserve(usual.context, size))) {
        give_back(0);
        at = usual.reserve(usual.context, size);
    }
    return at;
}

static void *reserve_cleared(void *context, size_t count, size_t each)
{
    (void)context;
    if (each && count > SIZE_MAX / 2 / each)
        return NULL;
    size_t size = count * each;
    if (size < LEAST)
        return usual.reserve_cleared(usual.context, count, each);
    void *at = used_again(rounded(size));
    if (at)
        return memset(at, 0, size);
    if (!(at = usual.reserve_cleared(usual.context, rounded(size), 1))) {
        give_back(0);
        at = usual.reserve_cleared(usual.context, rounded(size), 1);
    }
    return at;
}

static void *resize(void *context, void *at, size_t size)
{
    (void)context;
    return usual.resize(usual.context, at, size < LEAST ? size : rounded(size));
}

static void release(void *context, void *at, size_t size)
{
    (void)context;
    if (!at || size < LEAST || rounded(size) > MOST / 2) {
        usual.release(usual.context, at, size);
        return;
    }
    size = rounded(size);
    give_back(size);
    lock();
    int keeps = users && rooms < KEPT;
    if (keeps) {
        kept[rooms++] = (Room){at, size};
        held += size;
    }
    unlock();
    if (!keeps)
        usual.release(usual.context, at, size);
}

static Handler handler = {"rooms of divulge", 1, {NULL, reserve, reserve_cleared, resize, release}};

/* A handler that keeps rooms, and has the usual one find others. */
EXPORTED void *room_begin(const Handler *given)
{
    lock();
    usual = given->allocator;
    users++;
    unlock();
    return &handler;
}

/* One less uses it; with the last, what is kept goes back. */
EXPORTED void room_end(void)
{
    lock();
    int last = !--users;
    unlock();
    if (last)
        give_back(0);
}
