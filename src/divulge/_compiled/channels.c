/* Channels of a few letters: whether they are probabilities, the best guess and its error, mutual information.
 *
 * A channel is a prior, and a matrix with a row of probabilities for each letter that goes in. On ten letters a call of
 * a loop takes less than one of NumPy's twenty would.
 */

#include "loops.h"

#define WITHIN 1e-9 /* how far probabilities may fall from adding up to one */
#define SMALL 1e-3 /* an error below it would lose digits if it were taken from one */

/* Whether every row is made of numbers from 0 on that add up to one. */
EXPORTED int64_t channels_probabilities(const double *matrix, int64_t rows, int64_t columns)
{
    for (int64_t x = 0; x < rows; x++) {
        const double *row = matrix + x * columns;
        double sum = 0.0;
        int64_t fine = 1;
        for (int64_t y = 0; y < columns; y++) {
            fine &= row[y] >= 0.0 && row[y] <= 2.0;
            sum += row[y];
        }
        if (!fine || !(fabs(sum - 1) <= WITHIN))
            return 0;
    }
    return 1;
}

/* Whether a prior and a channel with a row for each of its letters are. */
EXPORTED int64_t channels_valid(const double *prior, const double *matrix, int64_t rows, int64_t columns)
{
    return channels_probabilities(prior, 1, rows) && channels_probabilities(matrix, rows, columns);
}

/* How likely each observation is, how likely the best guess is wrong after it, and on average, which is given back: -1
 * where an observation cannot occur. */
EXPORTED double channels_best_guess(const double *prior, const double *matrix, int64_t rows, int64_t columns,
                                    double *marginal, double *wrong)
{
    double average = 0.0;
    for (int64_t y = 0; y < columns; y++)
        marginal[y] = wrong[y] = 0.0;
    for (int64_t x = 0; x < rows; x++) {
        const double *row = matrix + x * columns;
        double p = prior[x];
        for (int64_t y = 0; y < columns; y++) {
            double joint = p * row[y];
            marginal[y] += joint;
            wrong[y] = joint > wrong[y] ? joint : wrong[y];
        }
    }
    for (int64_t y = 0; y < columns; y++) {
        double peak = wrong[y];
        if (!(marginal[y] > 0))
            return -1.0;
        wrong[y] = 1 - peak / marginal[y];
        if (wrong[y] < SMALL) {
            double others = 0.0;
            int64_t met = 0;
            for (int64_t x = 0; x < rows; x++) {
                double joint = prior[x] * matrix[x * columns + y];
                if (joint == peak && !met)
                    met = 1;
                else
                    others += joint / marginal[y];
            }
            wrong[y] = others;
        }
        average += marginal[y] * wrong[y];
    }
    return average;
}

/* D(p || q) of p(x, y) and q = p(x) p(y), in nats: a sum of terms that are never negative; -1 where digits are lost.
 * room is for a number for each row and each column. */
EXPORTED double channels_information(const double *prior, const double *matrix, int64_t rows, int64_t columns,
                                     double *room)
{
    double *marginal = room + rows, total = 0.0;
    for (int64_t y = 0; y < columns; y++)
        marginal[y] = 0.0;
    for (int64_t x = 0; x < rows; x++) {
        const double *row = matrix + x * columns;
        room[x] = 0.0;
        for (int64_t y = 0; y < columns; y++) {
            double joint = prior[x] * row[y];
            room[x] += joint;
            marginal[y] += joint;
        }
    }
    for (int64_t x = 0; x < rows; x++)
        for (int64_t y = 0; y < columns; y++) {
            double p = prior[x] * matrix[x * columns + y], q = room[x] * marginal[y], r;
            if (q < 1e-290) {
                if (p > 0)
                    return -1.0;
                continue;
            }
            r = (p - q) / q;
            if (fabs(p - q) < q / 2)
                total += q * (fabs(r) < 1e-4 ? r * r * (1.0 / 2 - r / 6 + r * r / 12) : (1 + r) * log1p(r) - r);
            else
                total += (p > 0 ? p * log(p / q) : 0.0) - p + q;
        }
    return total;
}
