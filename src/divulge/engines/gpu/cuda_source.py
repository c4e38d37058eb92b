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
