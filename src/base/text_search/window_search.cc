#include "base/text_search/window_search.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lockstep::base {

std::uint64_t wanted_windows_one_by_one(const WindowBits& bits, std::uint32_t mix, const char* text) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < kRunOfWindows; ++i) {
    std::uint32_t window = 0;
    std::memcpy(&window, text + i * kWindowBytes, sizeof window);
    found |= std::uint64_t{bits.may_have(hash_of_window(window | kFold, mix))} << i;
  }
  return found;
}

#if defined(__x86_64__)
namespace {

__attribute__((target("avx2"))) std::uint64_t wanted_of_eight(const std::uint32_t* words, std::uint32_t by,
                                                              const char* text) {
  const __m256i fold = _mm256_set1_epi32(static_cast<int>(kFold));
  const __m256i mix = _mm256_set1_epi32(static_cast<int>(by));
  const __m256i last = _mm256_set1_epi32(31);
  const __m256i windows = _mm256_or_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)), fold);
  const __m256i product = _mm256_mullo_epi32(windows, mix);
  const __m256i hash = _mm256_xor_si256(product, _mm256_srli_epi32(product, 15));
  const __m256i word = _mm256_i32gather_epi32(reinterpret_cast<const int*>(words),
                                              _mm256_srli_epi32(hash, WindowBits::kWordShift), 4);
  const auto bit_on_top = [&](__m256i shifted) __attribute__((target("avx2"))) {
    return _mm256_sllv_epi32(word, _mm256_and_si256(shifted, last));
  };
  const __m256i first = bit_on_top(_mm256_srli_epi32(hash, WindowBits::kFirstBitShift));
  const __m256i second = bit_on_top(_mm256_srli_epi32(hash, WindowBits::kSecondBitShift));
  const __m256i third = bit_on_top(_mm256_srli_epi32(hash, WindowBits::kThirdBitShift));
  const __m256i all = _mm256_and_si256(_mm256_and_si256(first, second), third);
  return static_cast<std::uint64_t>(_mm256_movemask_ps(_mm256_castsi256_ps(all)));
}

__attribute__((target("avx2"))) std::uint64_t wanted_by_vectors(const WindowBits& bits, std::uint32_t mix,
                                                                const char* text) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < kRunOfWindows; i += 8)
    found |= wanted_of_eight(bits.words(), mix, text + i * kWindowBytes) << i;
  return found;
}

}  // namespace

std::uint64_t wanted_windows(const WindowBits& bits, std::uint32_t mix, const char* text) {
  static const bool has_gather = __builtin_cpu_supports("avx2") != 0;
  return has_gather ? wanted_by_vectors(bits, mix, text) : wanted_windows_one_by_one(bits, mix, text);
}

#else

std::uint64_t wanted_windows(const WindowBits& bits, std::uint32_t mix, const char* text) {
  return wanted_windows_one_by_one(bits, mix, text);
}

#endif

}  // namespace lockstep::base
