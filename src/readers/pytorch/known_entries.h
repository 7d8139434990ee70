// Entries of a dump that differ only in their numbers: times, counters. Training repeats itself, so nearly
// every entry is one of a few that came before, and what came behind an entry the last time comes behind it
// again. Such an entry is compared with that one and its numbers are read from where they stood; nothing of
// it is run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "readers/pytorch/flight_recorder_entry.h"
#include "readers/pytorch/pickle_literals.h"
#include "readers/pytorch/pickle_value.h"

namespace lockstep::readers {

class KnownEntries {
 public:
  struct Found {
    std::size_t size = 0;  // in bytes; 0: no known entry
    const FlightRecorderEntry* entry = nullptr;
  };

  // The entry that `bytes` begin with. What it points to is valid until the next call.
  Found find(std::string_view bytes);
  // What the whole entry in `bytes`, with these keys and values, was read as.
  void learn(std::string_view bytes, std::span<const PickleValue> values, const FlightRecorderEntry& entry);
  // The memo was changed: the same bytes may mean something else.
  void forget_all();

 private:
  struct Number {
    std::uint32_t offset = 0;
    std::uint8_t width = 0;
    Word field = Word::kNone;
  };
  struct Known {
    std::size_t size = 0;
    std::vector<std::uint64_t> bytes;  // zero where the numbers are
    std::vector<std::uint64_t> mask;
    std::vector<Number> numbers;
    FlightRecorderEntry entry;
    std::array<std::uint32_t, 2> next{};  // what came behind it, the last first
  };

  static bool is_at(const Known& known, std::string_view bytes);
  static void read_numbers(Known& known, const char* bytes);
  void came(std::uint32_t number);
  bool is_worth_it() const;

  std::vector<Known> known_ = std::vector<Known>(1);  // the first is none
  NumberCache numbers_;
  std::uint32_t last_ = 0;
  std::size_t found_ = 0;
  std::size_t missed_ = 0;
};

}  // namespace lockstep::readers
