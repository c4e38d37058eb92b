/* Points in a tree of boxes: what the searches for near and far points share. */

#ifndef DIVULGE_TREE
#define DIVULGE_TREE

#include "loops.h"

#define SLACK 1.0000001 /* by which a distance may shrink when it is rounded */

typedef struct {
    int64_t points, sides, nodes;
    int64_t summed; /* whether distances are the sum of what sides are apart, and not of its squares */
    double *point; /* point after point, in the order of the tree */
    int64_t *number, *times; /* what number each had when it was given, and how many points it stands for */
    double *box; /* by node: lowest of each side, then highest */
    int64_t *first, *last, *right; /* by node; the left child follows its parent, right is 0 for a leaf */
} Tree;

/* A number with the first 26 bits of its digits. */
static inline double rounded(double x)
{
    double wide = x * 134217729.0;
    return wide - (wide - x);
}

/* What two sides that are so far apart add to a distance. */
static inline double counted(const Tree *tree, double apart)
{
    return tree->summed ? fabs(apart) : apart * apart;
}

/* The distance to the nearest corner, side or inside of a node's box. */
static inline double to_box(const Tree *tree, int64_t node, const double *from)
{
    const double *low = tree->box + node * 2 * tree->sides, *high = low + tree->sides;
    double distance = 0.0;
    for (int64_t s = 0; s < tree->sides; s++) {
        double apart = from[s] < low[s] ? low[s] - from[s] : from[s] > high[s] ? from[s] - high[s] : 0.0;
        distance += counted(tree, apart);
    }
    return distance;
}

#endif
