// Numbers to text and back without the process's locale or allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string.h>

namespace lockstep::recorder {

// Reads decimal digits; returns where they end, or null when there are none or too many.
inline const char* parse_number(const char* text, std::uint64_t& number) {
  number = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (number > (UINT64_MAX - 9) / 10) return nullptr;
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return at == text ? nullptr : at;
}

// Builds a text in a buffer; what does not fit makes it !fits().
class TextBuilder {
 public:
  TextBuilder(char* buffer, std::size_t size) : buffer_(buffer), size_(size) { buffer_[0] = '\0'; }

  TextBuilder& add(const char* text) { return add(text, ::strlen(text)); }
  TextBuilder& add(const char* text, std::size_t bytes) {
    fits_ = fits_ && length_ + bytes < size_;
    if (!fits_) return *this;
    ::memcpy(buffer_ + length_, text, bytes);
    length_ += bytes;
    buffer_[length_] = '\0';
    return *this;
  }
  TextBuilder& add_number(std::uint64_t number, int least_digits = 1) {
    char digits[24];
    char* at = digits + sizeof digits;
    for (int i = 0; i < least_digits || number != 0; ++i, number /= 10) {
      *--at = static_cast<char>('0' + number % 10);
    }
    return add(at, static_cast<std::size_t>(digits + sizeof digits - at));
  }
  bool fits() const { return fits_; }
  std::size_t length() const { return length_; }

 private:
  char* buffer_;
  std::size_t size_;
  std::size_t length_ = 0;
  bool fits_ = true;
};

}  // namespace lockstep::recorder
