#include "base/text_search/factor_filter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/text_search/window_search.h"

namespace lockstep::base {
namespace {

constexpr unsigned kBucketShift = 18;

std::uint32_t folded_at(std::string_view text, std::size_t place) {
  std::uint32_t value = 0;
  std::memcpy(&value, text.data() + place, sizeof value);
  return value | kFold;
}

}  // namespace

FactorFilter::FactorFilter(FactorSet set) : set_(std::move(set)) {
  CHECK(set_.factors.size() <= 0xFFFF, "there are some thousand factors");
  std::vector<std::vector<unsigned char>> folded;
  for (const ByteClass& bytes : set_.classes) folded.push_back(folded_bytes(bytes));
  std::vector<Window> windows;
  for (std::size_t factor = 0; factor < set_.factors.size(); ++factor) {
    Sketch sketch;
    for (std::size_t i = 0; i < kFactorBytes; ++i) {
      const std::vector<unsigned char>& bytes = folded[set_.factors[factor][i]];
      if (bytes.size() != 1) continue;
      sketch.mask |= std::uint64_t{0xFF} << (8 * i);
      sketch.value |= std::uint64_t{bytes.front()} << (8 * i);
    }
    sketches_.push_back(sketch);
    for (std::size_t offset = 0; offset + kWindowBytes <= kFactorBytes; ++offset) {
      for_each_string(folded, set_.factors[factor], offset, [&](std::uint32_t value) {
        windows.push_back({value, static_cast<std::uint16_t>(factor), static_cast<std::uint16_t>(offset)});
      });
    }
  }
  put_in_order(windows);
}

// By counting: a comparing sort would be most of the time a small log takes.
void FactorFilter::put_in_order(const std::vector<Window>& windows) {
  first_of_.resize((std::size_t{1} << (32 - kBucketShift)) + 1);
  for (const Window& window : windows) {
    const std::uint32_t hash = hash_of_window(window.value, set_.mix);
    bits_.add(hash);
    ++first_of_[(hash >> kBucketShift) + 1];
  }
  std::partial_sum(first_of_.begin(), first_of_.end(), first_of_.begin());
  std::vector<std::uint32_t> next(first_of_.begin(), first_of_.end() - 1);
  windows_.resize(windows.size());
  for (const Window& window : windows)
    windows_[next[hash_of_window(window.value, set_.mix) >> kBucketShift]++] = window;
}

bool FactorFilter::stands_at(std::size_t factor, std::string_view text, std::size_t begin) const {
  if (begin + sizeof(std::uint64_t) <= text.size() && std::endian::native == std::endian::little) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + begin, sizeof bytes);
    constexpr std::uint64_t kFoldEight = std::uint64_t{kFold} << 32U | kFold;
    if (((bytes | kFoldEight) & sketches_[factor].mask) != sketches_[factor].value) return false;
  }
  for (std::size_t i = 0; i < kFactorBytes; ++i) {
    if (!set_.classes[set_.factors[factor][i]][static_cast<unsigned char>(text[begin + i])]) return false;
  }
  return true;
}

// A factor shows four windows in a row, and one of them begins here.
bool FactorFilter::may_stand_around(std::string_view text, std::size_t place) const {
  constexpr std::size_t kOthers = kFactorBytes - kWindowBytes;
  const auto is_wanted = [&](std::size_t at) {
    return bits_.may_have(hash_of_window(folded_at(text, at), set_.mix));
  };
  std::size_t others = 0;
  for (std::size_t at = place + 1; others < kOthers && at + kWindowBytes <= text.size() && is_wanted(at);
       ++at)
    ++others;
  for (std::size_t at = place; others < kOthers && at > 0 && is_wanted(at - 1); --at) ++others;
  return others == kOthers;
}

void FactorFilter::look_at(std::string_view text, std::size_t place, const OnFactor& on_factor) const {
  if (!may_stand_around(text, place)) return;
  const std::uint32_t value = folded_at(text, place);
  const std::uint32_t bucket = hash_of_window(value, set_.mix) >> kBucketShift;
  for (std::uint32_t i = first_of_[bucket]; i < first_of_[bucket + 1]; ++i) {
    const Window& window = windows_[i];
    if (window.value != value || place < window.offset) continue;
    const std::size_t begin = place - window.offset;
    if (begin + kFactorBytes <= text.size() && stands_at(window.factor, text, begin))
      on_factor(window.factor, begin);
  }
}

void FactorFilter::scan(std::string_view text, std::size_t begin, std::size_t end,
                        const OnFactor& on_factor) const {
  end = std::min(end, text.size());
  const std::size_t windows = begin < end ? (end - begin) / kWindowBytes : 0;
  const std::size_t runs_end = begin + windows / kRunOfWindows * kRunOfWindows * kWindowBytes;
  for (; begin < runs_end; begin += kRunOfWindows * kWindowBytes) {
    for (std::uint64_t found = wanted_windows(bits_, set_.mix, text.data() + begin); found != 0;
         found &= found - 1)
      look_at(text, begin + kWindowBytes * static_cast<std::size_t>(std::countr_zero(found)), on_factor);
  }
  for (; begin < end && begin + kWindowBytes <= text.size(); begin += kWindowBytes)
    look_at(text, begin, on_factor);
}

}  // namespace lockstep::base
