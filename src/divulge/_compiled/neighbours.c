/* The nearest and second nearest points of a set, with how many are equally near, by a tree of boxes.
 *
 * A node holds the points from first to last and the box around them. It is split at the median of the widest side.
 * What sides are apart, squared or as it is, is added up side by side in the same order everywhere and rounded to 26
 * bits, so that points that are equally near are so although their sides were rounded, whichever way they are found.
 */

#include "tree.h"

#define LEAF 12

typedef struct {
    double nearest, second;
    int64_t ties, second_ties, found; /* points at each distance, and the least number among the nearest */
} Near;

static void swap(Tree *tree, int64_t i, int64_t j)
{
    for (int64_t s = 0; s < tree->sides; s++) {
        double kept = tree->point[i * tree->sides + s];
        tree->point[i * tree->sides + s] = tree->point[j * tree->sides + s];
        tree->point[j * tree->sides + s] = kept;
    }
    int64_t kept = tree->number[i], times = tree->times[i];
    tree->number[i] = tree->number[j];
    tree->number[j] = kept;
    tree->times[i] = tree->times[j];
    tree->times[j] = times;
}

/* Bring the points from low to high (inclusive) into two parts by one side, the middle one in its place. */
static void select_middle(Tree *tree, int64_t low, int64_t high, int64_t middle, int64_t side)
{
    const double *at = tree->point + side;
    int64_t sides = tree->sides;
    while (low < high) {
        double pivot = at[((low + high) / 2) * sides];
        int64_t i = low, j = high;
        while (i <= j) {
            while (at[i * sides] < pivot)
                i++;
            while (at[j * sides] > pivot)
                j--;
            if (i <= j)
                swap(tree, i++, j--);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static int64_t build(Tree *tree, int64_t first, int64_t last)
{
    int64_t node = tree->nodes++, sides = tree->sides, widest = 0;
    double *low = tree->box + node * 2 * sides, *high = low + sides;
    for (int64_t s = 0; s < sides; s++) {
        low[s] = INFINITY;
        high[s] = -INFINITY;
    }
    for (int64_t i = first; i < last; i++)
        for (int64_t s = 0; s < sides; s++) {
            double x = tree->point[i * sides + s];
            low[s] = x < low[s] ? x : low[s];
            high[s] = x > high[s] ? x : high[s];
        }
    for (int64_t s = 1; s < sides; s++)
        if (high[s] - low[s] > high[widest] - low[widest])
            widest = s;
    tree->first[node] = first;
    tree->last[node] = last;
    tree->right[node] = 0;
    if (last - first > LEAF && high[widest] > low[widest]) {
        int64_t middle = first + (last - first) / 2;
        select_middle(tree, first, last - 1, middle, widest);
        build(tree, first, middle);
        tree->right[node] = build(tree, middle, last);
    }
    return node;
}

/* Make a tree of the points that stand in it; there is room for two nodes a point. */
EXPORTED void neighbours_build(Tree *tree)
{
    tree->nodes = 0;
    build(tree, 0, tree->points);
}

static void look(const Tree *tree, int64_t node, const double *from, Near *near)
{
    int64_t sides = tree->sides, right = tree->right[node];
    if (right) {
        int64_t left = node + 1;
        double to_left = to_box(tree, left, from), to_right = to_box(tree, right, from);
        int64_t nearer = to_left <= to_right ? left : right, further = to_left <= to_right ? right : left;
        if ((to_left <= to_right ? to_left : to_right) <= near->second * SLACK)
            look(tree, nearer, from, near);
        if ((to_left <= to_right ? to_right : to_left) <= near->second * SLACK)
            look(tree, further, from, near);
        return;
    }
    for (int64_t i = tree->first[node]; i < tree->last[node]; i++) {
        const double *point = tree->point + i * sides;
        double distance = 0.0;
        double most = near->second * SLACK;
        for (int64_t s = 0; s < sides && distance <= most; s++)
            distance += counted(tree, point[s] - from[s]);
        distance = rounded(distance);
        if (distance > near->second)
            continue;
        if (distance == near->nearest) {
            near->ties += tree->times[i];
            near->found = tree->number[i] < near->found ? tree->number[i] : near->found;
        } else if (distance < near->nearest) {
            near->second = near->nearest;
            near->second_ties = near->ties;
            near->nearest = distance;
            near->ties = tree->times[i];
            near->found = tree->number[i];
        } else if (distance == near->second)
            near->second_ties += tree->times[i];
        else {
            near->second = distance;
            near->second_ties = tree->times[i];
        }
    }
}

/* The two nearest distances, squared or summed, of points to look from, how many are at each, and the first of the nearest. */
EXPORTED void neighbours_find(const Tree *tree, const double *from, int64_t length, double *nearest, double *second,
                              int64_t *ties, int64_t *second_ties, int64_t *found)
{
    for (int64_t i = 0; i < length; i++) {
        Near near = {INFINITY, INFINITY, 0, 0, INT64_MAX};
        look(tree, 0, from + i * tree->sides, &near);
        nearest[i] = near.nearest;
        second[i] = near.second;
        ties[i] = near.ties;
        second_ties[i] = near.second_ties;
        found[i] = near.found;
    }
}
