"""The loops of our own as CUDA C++; ``kernels`` says what each does, and does the same by NumPy."""

JOIN_SOURCE = r"""
extern "C" __global__ void join(const unsigned long long* words, const int used, const long long n,
                                const int fields, const unsigned long long* columns, const int* sizes,
                                const int* bits, unsigned long long* out) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        unsigned long long word = used ? words[i] : 0;
        for (int f = 0; f < fields; ++f) {
            const void* column = (const void*)columns[f];
            const unsigned long long code = sizes[f] == 1 ? ((const unsigned char*)column)[i]
                : sizes[f] == 2 ? ((const unsigned short*)column)[i]
                : sizes[f] == 4 ? ((const unsigned int*)column)[i]
                : ((const unsigned long long*)column)[i];
            word = (bits[f] < 64 ? word << bits[f] : 0) | code;
        }
        out[i] = word;
    }
}
"""

MOVE_SOURCE = r"""
extern "C" __global__ void move(const %(word)s* words, const unsigned int* times, const long long n,
                                const int fields, const int* origin, const int* bits, const int* up,
                                const int below, %(out)s* out) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        const unsigned long long word = words[i];
        unsigned long long found = 0;
        for (int f = 0; f < fields; ++f) {
            const unsigned long long mask = bits[f] >= 64 ? ~0ull : (1ull << bits[f]) - 1;
            found |= ((word >> origin[f]) & mask) << up[f];
        }
        out[i] = (%(out)s)(below ? found << below | times[i] : found);
    }
}
"""

# Each thread takes places where a class of some prefix ends, and looks back for where it began: first one
# row, then twice as far each time. Classes of more attributes are shorter, so the search goes on from there.
SUMS_SOURCE = r"""
extern "C" __global__ void prefix_sums(const %(word)s* words, const long long* before, const long long n,
                                       const int levels, const int* shifts, const double scale,
                                       unsigned long long* out) {
    extern __shared__ unsigned int sizes[];
    for (int i = threadIdx.x; i < levels * %(small)d; i += blockDim.x) sizes[i] = 0;
    __syncthreads();
    for (long long end = 1 + blockIdx.x * (long long)blockDim.x + threadIdx.x; end <= n;
         end += (long long)gridDim.x * blockDim.x) {
        const %(word)s last = words[end - 1];
        const %(word)s differ = end < n ? last ^ words[end] : 0;
        if (end < n && !differ) continue;
        long long first = end - 1;
        for (int level = levels - 1; level >= 0; --level) {
            const int shift = shifts[level];
            if (end < n && !(differ >> shift)) break;
            const %(word)s prefix = last >> shift;
            if (first > 0 && words[first - 1] >> shift == prefix) {
                long long same = first - 1, step = 1;
                while (same >= step && words[same - step] >> shift == prefix) { same -= step; step *= 2; }
                long long other = same >= step ? same - step : -1;
                while (same - other > 1) {
                    const long long middle = (same + other) / 2;
                    if (words[middle] >> shift == prefix) same = middle; else other = middle;
                }
                first = same;
            }
            const long long size = before ? before[end] - before[first] : end - first;
            unsigned long long* row = out + level * (long long)(%(small)d + 2);
            if (size < %(small)d) {
                const unsigned int here = __activemask();
                const unsigned int alike = __match_any_sync(here, (unsigned int)size);
                if ((threadIdx.x & 31) == __ffs(alike) - 1)
                    atomicAdd(&sizes[level * %(small)d + size], __popc(alike));
            } else {
                atomicAdd(row, 1ull);
                atomicAdd(row + %(small)d, (unsigned long long)llrint(size * log2((double)size) * scale));
                atomicMin(row + %(small)d + 1, (unsigned long long)size);
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < levels * %(small)d; i += blockDim.x)
        if (sizes[i])
            atomicAdd(out + (i / %(small)d) * (long long)(%(small)d + 2) + i %% %(small)d, sizes[i]);
}
"""
# A thread for each row: on which fields does it differ from the others of its class? How many differ on none
# of a subset is a sum over sets of fields, made in place for all subsets at once, two to a register. Then a
# thread for each subset goes through the rows of the block and counts them by the size of their class.
SMALL_SOURCE = r"""
extern "C" __global__ void small_classes(const unsigned long long* words, const unsigned int* times,
                                         const int repeated, const long long n, const int rest,
                                         const long long* starts, const unsigned long long* masks,
                                         unsigned long long* out) {
    __shared__ unsigned short alike[128][130];
    __shared__ unsigned int few[128][17];
    __shared__ unsigned int weight[128];
    const int own = threadIdx.x;
    for (int i = 0; i < 17; ++i) few[own][i] = 0;
    for (long long tile = blockIdx.x * 128ll; tile < n; tile += gridDim.x * 128ll) {
        const long long row = tile + own;
        unsigned int* sums = (unsigned int*)alike[own];
        for (int i = 0; i < 64; ++i) sums[i] = 0;
        if (row < n) {
            const unsigned long long word = words[row];
            const unsigned long long group = word >> rest;
            const long long end = starts[group + 1];
            for (long long other = starts[group]; other < end; ++other) {
                const unsigned long long differ = word ^ words[other];
                int where = 0;
                #pragma unroll
                for (int f = 0; f < 7; ++f) where |= (differ & masks[f]) ? 1 << f : 0;
                alike[own][where] += repeated ? times[other] : 1;
            }
            unsigned int r[64];
            #pragma unroll
            for (int i = 0; i < 64; ++i) r[i] = sums[i] + (sums[i] << 16);
            #pragma unroll
            for (int bit = 1; bit < 64; bit *= 2)
                #pragma unroll
                for (int i = 0; i < 64; ++i)
                    if (i & bit) r[i] += r[i ^ bit];
            #pragma unroll
            for (int i = 0; i < 64; ++i) sums[i] = r[i];
            weight[own] = repeated ? times[row] : 1;
        }
        __syncthreads();
        const int rows = n - tile < 128 ? (int)(n - tile) : 128;
        for (int i = 0; i < rows; ++i) {
            const int size = alike[i][own];
            if (size < 17) few[own][size] += weight[i];
            else atomicAdd(out + (127 - own) * 512 + size, (unsigned long long)weight[i]);
        }
        __syncthreads();
    }
    for (int i = 1; i < 17; ++i)
        if (few[own][i]) atomicAdd(out + (127 - own) * 512 + i, (unsigned long long)few[own][i]);
}
"""

# A thread for each class goes through its cells; kinds are numbered as in ``_compiled/generalization.c``.
BOUNDS_SOURCE = r"""
extern "C" __global__ void beyond_bounds(const long long* classes, const int* value, const long long* times,
                                         const long long* sizes, const long long n, const double* share,
                                         const long long occurring, const int bounds, const int* kinds,
                                         const double* limits, bool* bad) {
    for (long long y = blockIdx.x * (long long)blockDim.x + threadIdx.x; y < n;
         y += (long long)gridDim.x * blockDim.x) {
        const long long from = classes[y], to = classes[y + 1];
        const double size = (double)sizes[y];
        for (int b = 0; b < bounds && !bad[y]; ++b) {
            const int kind = kinds[b];
            const double bound = limits[b];
            double number = 0, inside = 0;
            bool out = false;
            for (long long c = from; c < to; ++c) {
                const double count = (double)times[c], part = count / size, whole = share[value[c]];
                const double gain = (part - whole) / whole;
                if (kind == 3 || kind == 4) inside += count * log2(count);
                else if (kind == 6 || kind == 7) number = fmax(number, part);
                else if (kind == 8) number += fmax(part - whole, 0.0);
                else if (kind == 11) number = fmax(number, fabs(log2(part / whole)));
                else if (kind == 12 || kind == 13) {
                    number = fmax(number, gain);
                    out = out || (kind == 13 && gain > -log(whole));
                } else if (kind == 14) number += part * log2(part / whole);
            }
            if (kind == 3 || kind == 4)
                number = to - from == 1 ? 0.0 : fmax(size * log2(size) - inside, 0.0) / size;
            if (kind == 2) out = (double)(to - from) < bound;
            else if (kind == 3) out = exp2(number) < bound;
            else if (kind == 4) out = exp2(-number) > bound;
            else if (kind == 7) out = 1.0 - number < bound;
            else if (kind == 11) out = to - from < occurring || number > bound;
            else out = out || fmax(number, 0.0) > bound;
            if (out) bad[y] = true;
        }
    }
}
"""

_REDUCE = r"""
__device__ unsigned long long added(unsigned long long x) {
    for (int far = 16; far; far /= 2) x += __shfl_down_sync(0xffffffffu, x, far);
    return x;
}
__device__ unsigned long long smallest(unsigned long long x) {
    for (int far = 16; far; far /= 2) {
        const unsigned long long other = __shfl_down_sync(0xffffffffu, x, far);
        x = other < x ? other : x;
    }
    return x;
}
"""

# Some blocks for each combination; a warp adds up what its threads found before it writes.
NODES_SOURCE = (
    _REDUCE
    + r"""
extern "C" __global__ void node_sums(const long long* edges, const long long* sizes, const bool* bad,
                                     const long long few, const double scale, unsigned long long* out) {
    const long long end = edges[blockIdx.x + 1];
    unsigned long long kept = 0, gone = 0, least = 0x7fffffffffffffffull;
    unsigned long long lone = 0, small = 0, squares = 0, bits = 0;
    for (long long y = edges[blockIdx.x] + blockIdx.y * (long long)blockDim.x + threadIdx.x; y < end;
         y += (long long)gridDim.y * blockDim.x) {
        const unsigned long long n = (unsigned long long)sizes[y];
        if (bad[y]) { gone += n; continue; }
        kept += 1;
        least = n < least ? n : least;
        lone += n == 1;
        small += (long long)n < few ? n : 0;
        squares += n * n;
        bits += (unsigned long long)llrint((double)n * log2((double)n) * scale);
    }
    unsigned long long* row = out + blockIdx.x * 7ll;
    const unsigned long long found[7] = {added(kept), added(gone), smallest(least), added(lone),
                                         added(small), added(squares), added(bits)};
    if ((threadIdx.x & 31) == 0)
        for (int i = 0; i < 7; ++i) {
            if (i == 2) atomicMin(row + 2, found[2]);
            else if (found[i]) atomicAdd(row + i, found[i]);
        }
}
"""
)

# The least of doubles that are not negative is the least of their bits.
TARGET_SOURCE = (
    _REDUCE
    + r"""
extern "C" __global__ void target_sums(const long long* edges, const long long* classes,
                                       const long long* times, const long long* sizes, const bool* bad,
                                       const double scale, unsigned long long* out, double* least) {
    const long long end = edges[blockIdx.x + 1];
    unsigned long long left = 0, top = 0, fewest = 0x7ff0000000000000ull;  // no number
    for (long long y = edges[blockIdx.x] + blockIdx.y * (long long)blockDim.x + threadIdx.x; y < end;
         y += (long long)gridDim.y * blockDim.x) {
        if (bad[y]) continue;
        const long long n = sizes[y];
        long long most = 0;
        double inside = 0;
        for (long long c = classes[y]; c < classes[y + 1]; ++c) {
            const long long count = times[c];
            inside += (double)count * log2((double)count);
            most = count > most ? count : most;
        }
        const double unknown = most == n ? 0.0 : fmax((double)n * log2((double)n) - inside, 0.0);
        const unsigned long long as_bits = (unsigned long long)__double_as_longlong(unknown);
        left += (unsigned long long)llrint(unknown * scale);
        fewest = as_bits < fewest ? as_bits : fewest;
        top += (unsigned long long)most;
    }
    left = added(left);
    top = added(top);
    fewest = smallest(fewest);
    if ((threadIdx.x & 31) == 0) {
        if (left) atomicAdd(out + blockIdx.x * 2ll, left);
        if (top) atomicAdd(out + blockIdx.x * 2ll + 1, top);
        atomicMin((unsigned long long*)(least + blockIdx.x), fewest);
    }
}
"""
)
