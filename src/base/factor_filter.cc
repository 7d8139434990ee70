#include "base/factor_filter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lockstep::base {
namespace {

constexpr unsigned kWordBits = 32;

std::uint32_t folded_at(std::string_view text, std::size_t place) {
  std::uint32_t value = 0;
  std::memcpy(&value, text.data() + place, sizeof value);
  return value | kFold;
}

}  // namespace

FactorFilter::FactorFilter(FactorSet set) : set_(std::move(set)) {
  std::vector<std::vector<unsigned char>> folded;
  for (const ByteClass& bytes : set_.classes) folded.push_back(folded_bytes(bytes));
  for (std::uint32_t factor = 0; factor < set_.factors.size(); ++factor) {
    for (std::uint32_t offset = 0; offset + kWindowBytes <= kFactorBytes; ++offset)
      add_windows(folded, factor, offset);
  }
  bits_.resize(std::size_t{1} << (kHashBits - 5));
  for (const Window& window : windows_) bits_[window.hash / kWordBits] |= 1U << (window.hash % kWordBits);
  std::uint32_t before = 0;
  ranks_.reserve(bits_.size());
  for (const std::uint32_t word : bits_) {
    ranks_.push_back(before);
    before += static_cast<std::uint32_t>(std::popcount(word));
  }
  first_of_.resize(before + 1);
  put_windows_in_order();
}

// By counting: a comparing sort would be most of the time a small log takes.
void FactorFilter::put_windows_in_order() {
  for (const Window& window : windows_) ++first_of_[rank_of(window.hash) + 1];
  std::partial_sum(first_of_.begin(), first_of_.end(), first_of_.begin());
  std::vector<std::uint32_t> next(first_of_.begin(), first_of_.end() - 1);
  std::vector<Window> ordered(windows_.size());
  for (const Window& window : windows_) ordered[next[rank_of(window.hash)]++] = window;
  windows_ = std::move(ordered);
}

std::size_t FactorFilter::rank_of(std::uint32_t hash) const {
  const std::uint32_t below = (1U << (hash % kWordBits)) - 1;
  return ranks_[hash / kWordBits] +
         static_cast<std::uint32_t>(std::popcount(bits_[hash / kWordBits] & below));
}

void FactorFilter::add_windows(const std::vector<std::vector<unsigned char>>& folded, std::uint32_t factor,
                               std::uint32_t offset) {
  for_each_string(folded, set_.factors[factor], offset, [&](std::uint32_t value) {
    windows_.push_back({hash_of_window(value, set_.mix), value, factor, offset});
  });
}

bool FactorFilter::stands_at(const Factor& factor, std::string_view text, std::size_t begin) const {
  for (std::size_t i = 0; i < kFactorBytes; ++i) {
    if (!set_.classes[factor[i]][static_cast<unsigned char>(text[begin + i])]) return false;
  }
  return true;
}

void FactorFilter::look_at(std::string_view text, std::size_t place, const OnFactor& on_factor) const {
  const std::uint32_t value = folded_at(text, place);
  const std::uint32_t hash = hash_of_window(value, set_.mix);
  if ((bits_[hash / kWordBits] & 1U << (hash % kWordBits)) == 0) return;
  const std::size_t rank = rank_of(hash);
  for (std::uint32_t i = first_of_[rank]; i < first_of_[rank + 1]; ++i) {
    const Window& window = windows_[i];
    if (window.value != value || place < window.offset) continue;
    const std::size_t begin = place - window.offset;
    if (begin + kFactorBytes > text.size()) continue;
    if (stands_at(set_.factors[window.factor], text, begin)) on_factor(window.factor, begin);
  }
}

void FactorFilter::scan(std::string_view text, std::size_t begin, std::size_t end,
                        const OnFactor& on_factor) const {
  end = std::min(end, text.size());
  for (std::size_t place = scan_by_eights(text, begin, end, on_factor);
       place < end && place + kWindowBytes <= text.size(); place += kWindowBytes) {
    look_at(text, place, on_factor);
  }
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static unsigned windows_with_bits(const std::uint32_t* bits, std::uint32_t by,
                                                                  const char* at) {
  const __m256i fold = _mm256_set1_epi32(static_cast<int>(kFold));
  const __m256i mix = _mm256_set1_epi32(static_cast<int>(by));
  const __m256i last = _mm256_set1_epi32(kWordBits - 1);
  const __m256i text = _mm256_or_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), fold);
  const __m256i hash = _mm256_srli_epi32(_mm256_mullo_epi32(text, mix), kHashShift);
  const __m256i words =
      _mm256_i32gather_epi32(reinterpret_cast<const int*>(bits), _mm256_srli_epi32(hash, 5), 4);
  // The bit asked for, moved to the top of its word.
  const __m256i top = _mm256_sllv_epi32(words, _mm256_sub_epi32(last, _mm256_and_si256(hash, last)));
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(top)));
}

// The first windows of the range that have a bit; `end` where there are none.
__attribute__((target("avx2"))) static std::size_t next_with_bits(const std::uint32_t* bits, std::uint32_t by,
                                                                  const char* text, std::size_t from,
                                                                  std::size_t end, unsigned& which) {
  for (; from + 64 <= end; from += 64) {
    which = windows_with_bits(bits, by, text + from) | windows_with_bits(bits, by, text + from + 32) << 8U;
    if (which != 0) return from;
  }
  return end;
}

std::size_t FactorFilter::scan_by_eights(std::string_view text, std::size_t begin, std::size_t end,
                                         const OnFactor& on_factor) const {
  static const bool has_gather = __builtin_cpu_supports("avx2") != 0;
  if (!has_gather) return begin;
  end = begin + (end - begin) / 64 * 64;
  while (begin < end) {
    unsigned which = 0;
    begin = next_with_bits(bits_.data(), set_.mix, text.data(), begin, end, which);
    if (begin == end) break;
    for (; which != 0; which &= which - 1)
      look_at(text, begin + kWindowBytes * static_cast<std::size_t>(std::countr_zero(which)), on_factor);
    begin += 64;
  }
  return end;
}

#else

std::size_t FactorFilter::scan_by_eights(std::string_view, std::size_t begin, std::size_t,
                                         const OnFactor&) const {
  return begin;
}

#endif

}  // namespace lockstep::base
