/* Loops of microaggregation: points that are taken from a tree group by group, and the best groups of sorted values.
 *
 * The tree is that of the nearest points. A point that was taken stands for none, and the boxes above it are drawn
 * anew around those that are left, so that searches stay short while the table is eaten from its edge. Points at the
 * edge are all about as far from the centre, where boxes do not help; so points also stand in the order of their
 * distance from an anchor, a former centre, which bounds their distance from the centre now. Of points that are equally
 * near or far the one with the least number is found.
 */

#include "tree.h"

typedef struct {
    Tree *tree;
    int64_t left; /* points that were not taken yet */
    int64_t *parent, *alive; /* by node: the node above, and how many points are left below */
    int64_t *place, *leaf; /* by the number of a point: where it stands in the tree, and in which node */
    double *sum, *rest; /* by side: the sum of the points left, in two parts */
    double *centre; /* by side: the mean of the points that were left when it was last asked for */
    double *distance; /* of the points that were found, nearest first */
    int64_t *found, *group; /* their numbers; and by the number of a point the group it went to, -1 for none */
    double *anchor, *reach; /* a former centre, and how far from it points are, furthest first */
    int64_t *order; /* the numbers of those points */
    int64_t ordered, head, looked; /* how many there are, the first that may be left, and how many were looked at */
} Remaining;

/* Add to a sum in two parts, which together have twice the digits. */
static void add(double *sum, double *rest, double x)
{
    double total = *sum + x, part = total - *sum;
    *rest += (*sum - (total - part)) + (x - part);
    *sum = total;
}

/* What the tree does not hold: how nodes hang together, where points are, and what they add up to. */
EXPORTED void remaining_begin(Remaining *all)
{
    Tree *tree = all->tree;
    all->left = tree->points;
    all->parent[0] = -1;
    for (int64_t node = 0; node < tree->nodes; node++) {
        all->alive[node] = tree->last[node] - tree->first[node];
        if (tree->right[node])
            all->parent[node + 1] = all->parent[tree->right[node]] = node;
        else
            for (int64_t i = tree->first[node]; i < tree->last[node]; i++) {
                all->place[tree->number[i]] = i;
                all->leaf[tree->number[i]] = node;
            }
    }
    for (int64_t number = 0; number < tree->points; number++)
        for (int64_t s = 0; s < tree->sides; s++)
            add(all->sum + s, all->rest + s, tree->point[all->place[number] * tree->sides + s]);
}

/* Let the centre be the mean of the points that are left. */
EXPORTED void remaining_move_centre(Remaining *all)
{
    for (int64_t s = 0; s < all->tree->sides; s++)
        all->centre[s] = (all->sum[s] + all->rest[s]) / (double)all->left;
}

static double to_point(const Tree *tree, int64_t place, const double *from)
{
    const double *point = tree->point + place * tree->sides;
    double distance = 0.0;
    for (int64_t s = 0; s < tree->sides; s++)
        distance += (point[s] - from[s]) * (point[s] - from[s]);
    return rounded(distance);
}

/* The squared distance to the corner of a node's box that is furthest away; below all others where it is empty. */
static double to_far_corner(const Remaining *all, int64_t node, const double *from)
{
    int64_t sides = all->tree->sides;
    const double *low = all->tree->box + node * 2 * sides, *high = low + sides;
    double distance = 0.0;
    if (!all->alive[node])
        return -1.0;
    for (int64_t s = 0; s < sides; s++) {
        double below = from[s] - low[s], above = high[s] - from[s];
        double apart = below > above ? below : above;
        distance += apart * apart;
    }
    return distance;
}

static void look_far(const Remaining *all, int64_t node, const double *from, double *most, int64_t *found)
{
    const Tree *tree = all->tree;
    int64_t left = node + 1, right = tree->right[node];
    if (right) {
        double to_left = to_far_corner(all, left, from), to_right = to_far_corner(all, right, from);
        int left_first = to_left >= to_right;
        if ((left_first ? to_left : to_right) * SLACK >= *most)
            look_far(all, left_first ? left : right, from, most, found);
        if ((left_first ? to_right : to_left) * SLACK >= *most)
            look_far(all, left_first ? right : left, from, most, found);
        return;
    }
    for (int64_t i = tree->first[node]; i < tree->last[node]; i++) {
        if (!tree->times[i])
            continue;
        double distance = to_point(tree, i, from);
        if (distance > *most || (distance == *most && tree->number[i] < *found)) {
            *most = distance;
            *found = tree->number[i];
        }
    }
}

/* The number of the point that is furthest from a place; at least one is left. */
EXPORTED int64_t remaining_farthest(const Remaining *all, const double *from)
{
    double most = -0.5; /* above that of an empty box */
    int64_t found = INT64_MAX;
    look_far(all, 0, from, &most, &found);
    return found;
}

/* The number of the point that is furthest from the centre: none is further than its reach and the way to the anchor.
 */
EXPORTED int64_t remaining_farthest_from_centre(Remaining *all)
{
    const Tree *tree = all->tree;
    double way = 0.0, most = -1.0, enough = -1.0;
    int64_t i, found = INT64_MAX;
    for (int64_t s = 0; s < tree->sides; s++)
        way += (all->centre[s] - all->anchor[s]) * (all->centre[s] - all->anchor[s]);
    way = sqrt(way) * SLACK;
    while (all->head < all->ordered && all->group[all->order[all->head]] >= 0)
        all->head++;
    for (i = all->head; i < all->ordered && all->reach[i] * SLACK + way >= enough; i++) {
        int64_t number = all->order[i];
        if (all->group[number] >= 0)
            continue;
        double distance = to_point(tree, all->place[number], all->centre);
        if (distance > most || (distance == most && number < found)) {
            most = distance;
            found = number;
            enough = sqrt(most);
        }
    }
    all->looked += i - all->head;
    return found;
}

typedef struct {
    int64_t wanted, found;
    double furthest; /* what a point has to be nearer than, or as near as with a lesser number */
} Wanted;

static void note(Remaining *all, Wanted *wanted, double distance, int64_t number)
{
    int64_t at = wanted->found < wanted->wanted ? wanted->found++ : wanted->wanted - 1;
    for (; at > 0 && (all->distance[at - 1] > distance ||
                      (all->distance[at - 1] == distance && all->found[at - 1] > number)); at--) {
        all->distance[at] = all->distance[at - 1];
        all->found[at] = all->found[at - 1];
    }
    all->distance[at] = distance;
    all->found[at] = number;
    if (wanted->found == wanted->wanted)
        wanted->furthest = all->distance[wanted->wanted - 1];
}

static void look_near(Remaining *all, int64_t node, const double *from, Wanted *wanted)
{
    const Tree *tree = all->tree;
    int64_t left = node + 1, right = tree->right[node];
    if (right) {
        double to_left = all->alive[left] ? to_box(tree, left, from) : INFINITY;
        double to_right = all->alive[right] ? to_box(tree, right, from) : INFINITY;
        int left_first = to_left <= to_right;
        int64_t first = left_first ? left : right, second = left_first ? right : left;
        if (all->alive[first] && (left_first ? to_left : to_right) <= wanted->furthest * SLACK)
            look_near(all, first, from, wanted);
        if (all->alive[second] && (left_first ? to_right : to_left) <= wanted->furthest * SLACK)
            look_near(all, second, from, wanted);
        return;
    }
    for (int64_t i = tree->first[node]; i < tree->last[node]; i++) {
        if (!tree->times[i])
            continue;
        double distance = to_point(tree, i, from);
        int full = wanted->found == wanted->wanted;
        if (!full || distance < wanted->furthest ||
            (distance == wanted->furthest && tree->number[i] < all->found[wanted->wanted - 1]))
            note(all, wanted, distance, tree->number[i]);
    }
}

/* Find so many points that are nearest to a place; how many there were. */
EXPORTED int64_t remaining_nearest(Remaining *all, const double *from, int64_t count)
{
    Wanted wanted = {count, 0, INFINITY};
    look_near(all, 0, from, &wanted);
    return wanted.found;
}

/* Draw a box around what is left in a leaf. */
static void draw_leaf(Tree *tree, int64_t node)
{
    int64_t sides = tree->sides;
    double *low = tree->box + node * 2 * sides, *high = low + sides;
    for (int64_t s = 0; s < sides; s++) {
        low[s] = INFINITY;
        high[s] = -INFINITY;
        for (int64_t i = tree->first[node]; i < tree->last[node]; i++) {
            double x = tree->point[i * sides + s];
            low[s] = tree->times[i] && x < low[s] ? x : low[s];
            high[s] = tree->times[i] && x > high[s] ? x : high[s];
        }
    }
}

/* Draw a box around the boxes of two children; an empty one reaches nowhere. */
static void draw_parent(Tree *tree, int64_t node)
{
    int64_t sides = tree->sides;
    double *low = tree->box + node * 2 * sides, *high = low + sides;
    const double *left = tree->box + (node + 1) * 2 * sides, *right = tree->box + tree->right[node] * 2 * sides;
    for (int64_t s = 0; s < sides; s++) {
        low[s] = left[s] < right[s] ? left[s] : right[s];
        high[s] = left[sides + s] > right[sides + s] ? left[sides + s] : right[sides + s];
    }
}

/* Put a point that is left into a group. */
EXPORTED void remaining_assign(Remaining *all, int64_t number, int64_t group)
{
    Tree *tree = all->tree;
    int64_t place = all->place[number];
    tree->times[place] = 0;
    all->group[number] = group;
    all->left--;
    for (int64_t s = 0; s < tree->sides; s++)
        add(all->sum + s, all->rest + s, -tree->point[place * tree->sides + s]);
    draw_leaf(tree, all->leaf[number]);
    for (int64_t node = all->leaf[number]; node >= 0; node = all->parent[node]) {
        all->alive[node]--;
        if (tree->right[node])
            draw_parent(tree, node);
    }
}

/* Put so many points that are nearest to a place into a group. */
EXPORTED void remaining_take(Remaining *all, const double *from, int64_t count, int64_t group)
{
    int64_t found = remaining_nearest(all, from, count);
    for (int64_t i = 0; i < found; i++)
        remaining_assign(all, all->found[i], group);
}

/* The groups of k to 2k - 1 sorted values with the least squares: of values up to each, how many are in the last.
 *
 * The squares of a group are added up value by value from its end, so that no digits cancel.
 */
EXPORTED void groups_of_least_squares(const double *value, int64_t length, int64_t k, double *squares, int64_t *size)
{
    squares[0] = 0.0;
    for (int64_t end = 1; end <= length; end++) {
        double mean = 0.0, own = 0.0;
        squares[end] = INFINITY;
        size[end] = 0;
        for (int64_t m = 1; m < 2 * k && m <= end; m++) {
            double apart = value[end - m] - mean;
            mean += apart / (double)m;
            own += apart * (value[end - m] - mean);
            if (m >= k && squares[end - m] + own < squares[end]) {
                squares[end] = squares[end - m] + own;
                size[end] = m;
            }
        }
    }
}
