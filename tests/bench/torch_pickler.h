// Writes what PyTorch's C++ pickler writes for a flight-recorder dump; tests/dumps/torch_pickle.py is its
// readable twin.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace lockstep::bench {

inline constexpr std::int64_t kNotMemoised = -1;

// A string of one dump: written in full where it first stands, as a memo number after that.
struct Text {
  explicit Text(std::string text) : value(std::move(text)) {}

  std::string value;
  std::int64_t memo = kNotMemoised;
};

class TorchPickler {
 public:
  TorchPickler() { out_ += "\x80\x02"; }

  void text(Text& text) {
    if (text.memo != kNotMemoised) return get(text.memo);
    out_ += 'X';
    little_endian(static_cast<std::uint32_t>(text.value.size()));
    out_ += text.value;
    text.memo = put();
  }

  void number(std::int64_t value) {
    if (value >= 0 && value <= 0xff) {
      out_ += 'K';
      little_endian(static_cast<std::uint8_t>(value));
    } else if (value >= 0 && value <= 0xffff) {
      out_ += 'M';
      little_endian(static_cast<std::uint16_t>(value));
    } else if (value == static_cast<std::int32_t>(value)) {
      out_ += 'J';
      little_endian(static_cast<std::int32_t>(value));
    } else {
      out_ += "\x8a\x08";
      little_endian(value);
    }
  }

  void boolean(bool value) { out_ += value ? '\x88' : '\x89'; }
  void none() { out_ += 'N'; }
  void open_dict() { out_ += "}("; }
  void close_dict() { out_ += 'u'; }
  void open_list() { out_ += "]("; }
  void close_list() { out_ += 'e'; }
  void pair() { out_ += '\x86'; }  // of the two values before it

  // Memoises what was just written.
  std::int64_t put() {
    memo_number('q', 'r', next_);
    return next_++;
  }
  void get(std::int64_t memo) { memo_number('h', 'j', memo); }

  std::string finish() && {
    put();
    out_ += '.';
    return std::move(out_);
  }

 private:
  void memo_number(char narrow, char wide, std::int64_t memo) {
    if (memo <= 0xff) {
      out_ += narrow;
      little_endian(static_cast<std::uint8_t>(memo));
    } else {
      out_ += wide;
      little_endian(static_cast<std::uint32_t>(memo));
    }
  }

  template <typename Integer>
  void little_endian(Integer value) {
    static_assert(std::endian::native == std::endian::little);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
  }

  std::string out_;
  std::int64_t next_ = 0;
};

}  // namespace lockstep::bench
