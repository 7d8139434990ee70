// Runs the harmless part of pickle: numbers, texts, lists, tuples and dicts, of any protocol. Whatever would
// import or call something ends the run; nothing is ever executed. A pickle that was cut is a prefix of a
// valid one, so all entries before the cut are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "readers/pytorch/pickle_opcodes.h"
#include "readers/pytorch/pickle_stack.h"

namespace lockstep::readers {

enum class PickleEnd : std::uint8_t {
  kWhole,
  kCut,      // the bytes end before the pickle does
  kDamaged,  // bytes that no pickle has there
  kRefused,  // it asks for code to be imported or run
  kTooLarge  // it would fill the memory
};

class PickleMachine {
 public:
  // `bytes` must outlive the machine.
  PickleMachine(std::string_view bytes, PickleEntries& entries);

  PickleEnd run();

  // Once run() ended: keys and values of the outermost dict, as far as they were read.
  std::vector<PickleValue> outermost() const { return stack_.outermost(); }
  PickleStore& store() { return stack_.store(); }
  // Where the instruction that ended the run lies.
  std::size_t offset() const { return static_cast<std::size_t>(instruction_at_ - begin_); }

 private:
  PickleStep step();
  PickleStep rare_step(PickleOpcode opcode);
  PickleStep step_with_line(PickleOpcode opcode);
  template <typename T>
  PickleStep push_integer();
  PickleStep push_long(std::size_t size_bytes);
  PickleStep push_text(std::size_t size_bytes);
  PickleStep pass_bytes(std::size_t size_bytes);
  PickleStep push_tuple(std::size_t count);

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  template <typename T>
  bool take_number(T& number);
  bool take_size(std::size_t size_bytes, std::uint64_t& size);

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* instruction_at_;
  PickleStack stack_;
  std::deque<std::string> decoded_;  // texts that are not in the bytes as they are
};

}  // namespace lockstep::readers
