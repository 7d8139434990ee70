// The sum of what lies on a device, at the speed of its memory. It does not depend on the order in which threads
// come: each pair of words is multiplied with keys of its place, and the products are added up. device_sum.cc
// mixes the two halves at the end. `generate` makes device_sum_kernel.h of this.
#define ADD(place, value) __asm__ volatile("red.global.add.u64 [%0], %1;" ::"l"(place), "l"(value) : "memory")

// The compiler's own for it does not know how long a word is here.
#define HIGH_PRODUCT(to, x, y) __asm__("mul.hi.u64 %0, %1, %2;" : "=l"(to) : "l"(x), "l"(y))

typedef unsigned long word;
typedef unsigned int half_word;

static word word_at(const global unsigned char* data, word offset, word bytes, unsigned alignment) {
  if (offset + 8 <= bytes) {
    if (alignment >= 8) return *(const global word*)(data + offset);
    if (alignment >= 4) {
      const global half_word* halves = (const global half_word*)(data + offset);
      return halves[0] | (word)halves[1] << 32;
    }
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

kernel void lockstep_sum(const global unsigned char* data, word bytes, unsigned alignment, global word* sums) {
  local word low_of_warp[32];
  local word high_of_warp[32];
  const unsigned thread = __nvvm_read_ptx_sreg_tid_x();
  const unsigned threads = __nvvm_read_ptx_sreg_ntid_x();
  const word first = (word)__nvvm_read_ptx_sreg_ctaid_x() * threads + thread;
  const word stride = (word)__nvvm_read_ptx_sreg_nctaid_x() * threads;
  const word pairs = (bytes + 15) / 16;
  word low = 0;
  word high = 0;
  for (word pair = first; pair < pairs; pair += stride) {
    const word x = word_at(data, 16 * pair, bytes, alignment) + (2 * pair + 1) * 0x9E3779B97F4A7C15UL;
    const word y = word_at(data, 16 * pair + 8, bytes, alignment) + (2 * pair + 2) * 0xC2B2AE3D27D4EB4FUL;
    word high_product;
    HIGH_PRODUCT(high_product, x, y);
    low += x * y;
    high += high_product + (x ^ (y << 32 | y >> 32));
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    low += of_thread_behind(low, distance);
    high += of_thread_behind(high, distance);
  }
  if (thread % 32 == 0) {
    low_of_warp[thread / 32] = low;
    high_of_warp[thread / 32] = high;
  }
  __syncthreads();
  if (thread == 0) {
    for (unsigned warp = 1; warp < threads / 32; ++warp) {
      low += low_of_warp[warp];
      high += high_of_warp[warp];
    }
    ADD(&sums[0], low);
    ADD(&sums[1], high);
  }
}
