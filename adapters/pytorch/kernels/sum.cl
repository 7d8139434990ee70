// The sum of what lies on a device, at the speed of its memory. It does not depend on the order in which threads
// come: each pair of words is multiplied with keys of its place, and the products are added up. device_sum.cc
// mixes the two halves at the end. `generate` makes device_sum_kernel.h of this.
#define ADD(place, value) __asm__ volatile("red.global.add.u64 [%0], %1;" ::"l"(place), "l"(value) : "memory")
// The compiler's own for it does not know how long a word is here.
#define HIGH_PRODUCT(to, x, y) __asm__("mul.hi.u64 %0, %1, %2;" : "=l"(to) : "l"(x), "l"(y))
#define FENCE __asm__ volatile("membar.gl;" ::: "memory")

typedef unsigned long word;
typedef unsigned int half_word;
typedef word pair_of_words __attribute__((ext_vector_type(2)));

struct sums {
  word low;
  word high;
};

static struct sums with_pair(struct sums so_far, word pair, word first, word second) {
  const word x = first + (2 * pair + 1) * 0x9E3779B97F4A7C15UL;
  const word y = second + (2 * pair + 2) * 0xC2B2AE3D27D4EB4FUL;
  word high_product;
  HIGH_PRODUCT(high_product, x, y);
  so_far.low += x * y;
  so_far.high += high_product + (x ^ (y << 32 | y >> 32));
  return so_far;
}

// Of any alignment, and zero behind the end.
static word word_at(const global unsigned char* data, word offset, word bytes) {
  if ((word)data % 4 == 0 && offset + 8 <= bytes) {
    const global half_word* halves = (const global half_word*)(data + offset);
    return halves[0] | (word)halves[1] << 32;
  }
  word value = 0;
  for (word i = 0; i < 8 && offset + i < bytes; ++i) value |= (word)data[offset + i] << 8 * i;
  return value;
}

static half_word half_of_thread_behind(half_word value, int distance) {
  half_word other;
  __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, -1;" : "=r"(other) : "r"(value), "r"(distance));
  return other;
}

static word of_thread_behind(word value, int distance) {
  return half_of_thread_behind((half_word)value, distance) |
         (word)half_of_thread_behind((half_word)(value >> 32), distance) << 32;
}

// Of one block, in its first thread.
static struct sums sum_of_block(const global unsigned char* data, word bytes, local struct sums* of_warps) {
  const unsigned thread = __nvvm_read_ptx_sreg_tid_x();
  const unsigned threads = __nvvm_read_ptx_sreg_ntid_x();
  const word stride = (word)__nvvm_read_ptx_sreg_nctaid_x() * threads;
  const word pairs = (bytes + 15) / 16;
  const word whole_pairs = (word)data % 16 == 0 ? bytes / 16 : 0;
  word pair = (word)__nvvm_read_ptx_sreg_ctaid_x() * threads + thread;
  struct sums so_far = {0, 0};
  const global pair_of_words* aligned = (const global pair_of_words*)data;
  for (; pair + 3 * stride < whole_pairs; pair += 4 * stride) {
    const pair_of_words a = aligned[pair];
    const pair_of_words b = aligned[pair + stride];
    const pair_of_words c = aligned[pair + 2 * stride];
    const pair_of_words d = aligned[pair + 3 * stride];
    so_far = with_pair(so_far, pair, a.x, a.y);
    so_far = with_pair(so_far, pair + stride, b.x, b.y);
    so_far = with_pair(so_far, pair + 2 * stride, c.x, c.y);
    so_far = with_pair(so_far, pair + 3 * stride, d.x, d.y);
  }
  for (; pair < whole_pairs; pair += stride) so_far = with_pair(so_far, pair, aligned[pair].x, aligned[pair].y);
  for (; pair < pairs; pair += stride) {
    so_far = with_pair(so_far, pair, word_at(data, 16 * pair, bytes), word_at(data, 16 * pair + 8, bytes));
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    so_far.low += of_thread_behind(so_far.low, distance);
    so_far.high += of_thread_behind(so_far.high, distance);
  }
  if (thread % 32 == 0) of_warps[thread / 32] = so_far;
  __syncthreads();
  for (unsigned warp = 1; thread == 0 && warp < threads / 32; ++warp) {
    so_far.low += of_warps[warp].low;
    so_far.high += of_warps[warp].high;
  }
  return so_far;
}

// Tensor `y` of the table, an address and a length each, is summed by the blocks of that row into sums 2y and 2y + 1.
kernel void lockstep_sum_table(const global word* table, global word* sums) {
  local struct sums of_warps[32];
  const unsigned row = __nvvm_read_ptx_sreg_ctaid_y();
  const struct sums so_far =
      sum_of_block((const global unsigned char*)table[2 * row], table[2 * row + 1], of_warps);
  if (__nvvm_read_ptx_sreg_tid_x() == 0) {
    ADD(&sums[2 * row], so_far.low);
    ADD(&sums[2 * row + 1], so_far.high);
  }
}

// One tensor, into memory of the host. `room` is two words and a counter on the device: zero before and after.
kernel void lockstep_sum(const global unsigned char* data, word bytes, global word* room, global word* result) {
  local struct sums of_warps[32];
  const struct sums so_far = sum_of_block(data, bytes, of_warps);
  if (__nvvm_read_ptx_sreg_tid_x() != 0) return;
  ADD(&room[0], so_far.low);
  ADD(&room[1], so_far.high);
  word came_before;
  FENCE;
  __asm__ volatile("atom.global.add.u64 %0, [%1], 1;" : "=l"(came_before) : "l"(&room[2]) : "memory");
  if (came_before + 1 != __nvvm_read_ptx_sreg_nctaid_x()) return;
  FENCE;
  volatile global word* all = room;
  result[0] = all[0];
  result[1] = all[1];
  all[0] = 0;
  all[1] = 0;
  all[2] = 0;
}
