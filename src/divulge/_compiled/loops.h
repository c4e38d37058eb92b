/* What the files of loops share: how they are handed to other languages. */

#ifndef DIVULGE_LOOPS
#define DIVULGE_LOOPS

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

/* A loop that gains by instructions of newer processors is compiled for those too, where the system can choose. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define WIDER __attribute__((target_clones("avx2", "default")))
#else
#define WIDER
#endif

/* Ask for what is read soon and lies anywhere. */
#ifdef __GNUC__
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address)
#endif

/* What is part of such a loop has to be compiled with it. */
#define INLINED static inline __attribute__((always_inline))

#endif
