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

#endif
