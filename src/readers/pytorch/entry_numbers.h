// Where the numbers stand in a pickled entry whose other bytes may come again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::readers {

struct EntryNumber {
  std::uint32_t offset = 0;  // of its first byte
  std::uint8_t width = 0;
  bool is_float = false;
  std::uint32_t value = 0;  // which of the entry's keys and values it is, from 0
};

struct EntryNumbers {
  std::size_t values = 0;  // keys and values of the entry
  std::vector<EntryNumber> numbers;
};

// The numbers that stand in the entry itself, not in a list or tuple of it. None when the entry changes the
// memo or has instructions that no flight recorder writes: then the same bytes may not mean the same again.
std::optional<EntryNumbers> numbers_in_entry(std::string_view bytes);

}  // namespace lockstep::readers
