#include "readers/pytorch/pickle_literals.h"

#include <array>
#include <cstring>

#include "readers/pytorch/pickle_opcodes.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kPickleLiteralsLongest = 4096;

constexpr std::array<std::uint8_t, 256> instruction_lengths() {
  std::array<std::uint8_t, 256> lengths{};
  const auto set = [&](PickleOpcode opcode, std::uint8_t length) {
    lengths[static_cast<std::uint8_t>(opcode)] = length;
  };
  set(PickleOpcode::kEmptyList, 1);
  set(PickleOpcode::kMark, 1);
  set(PickleOpcode::kAppends, 1);
  set(PickleOpcode::kBinGet, 2);
  set(PickleOpcode::kLongBinGet, 5);
  set(PickleOpcode::kBinInt1, 2);
  set(PickleOpcode::kBinInt2, 3);
  set(PickleOpcode::kBinInt, 5);
  return lengths;
}
constexpr std::array<std::uint8_t, 256> kLengths = instruction_lengths();

std::uint64_t key_of(std::string_view text) {
  KeyOf key;
  key.add(text.size());
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    key.add(word);
    text.remove_prefix(sizeof word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  return key.add(rest).key();
}

bool is_four_short_gets(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return (word & 0x00FF00FF00FF00FFU) == 0x0068006800680068U;
}

}  // namespace

// Looks no further than where an earlier search gave up, so that all searches together stay linear.
std::size_t PickleLiterals::length(std::string_view text) {
  const char* const end = text.data() + std::min(text.size(), kPickleLiteralsLongest);
  const char* at = text.data();
  int depth = 0;
  while (at < end) {
    if (end - at >= 8 && is_four_short_gets(at)) {
      at += 8;
      continue;
    }
    const auto opcode = static_cast<std::uint8_t>(*at);
    const std::uint8_t instruction = kLengths[opcode];
    if (instruction == 0 || end - at < instruction) break;
    at += instruction;
    if (opcode == static_cast<std::uint8_t>(PickleOpcode::kMark)) ++depth;
    if (opcode == static_cast<std::uint8_t>(PickleOpcode::kAppends) && --depth <= 0) {
      return depth == 0 ? static_cast<std::size_t>(at - text.data()) : 0;
    }
  }
  none_before_ = at;
  return 0;
}

PickleLiterals::Found PickleLiterals::find_anywhere(std::string_view text) {
  const bool is_inside_another = text.data() < awaited_end_;
  if (is_inside_another || text.data() < none_before_) return {};
  const std::size_t size = length(text);
  if (size == 0) return {};
  const std::string_view list = text.substr(0, size);
  const std::uint32_t number = numbers_.find_or(key_of(list), [&] {
    if (literals_.size() >= kMaxLiterals) return NumberCache::kNotKept;
    literals_.push_back({.text = list, .container = kNew});
    return static_cast<std::uint32_t>(literals_.size() - 1);
  });
  if (number == NumberCache::kNotKept || literals_[number].text != list) return {};
  came(number);
  if (literals_[number].container == kNew) {
    awaited_end_ = list.data() + list.size();
    awaited_ = number;
  }
  return {.size = size, .container = literals_[number].container};
}

void PickleLiterals::built(std::uint32_t container) {
  literals_[awaited_].container = container;
}

void PickleLiterals::forget_all() {
  literals_.clear();
  numbers_ = {};
  awaited_end_ = nullptr;
}

}  // namespace lockstep::readers
