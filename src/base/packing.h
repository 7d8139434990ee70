// Numbers and texts as bytes of a message, and back. Numbers are little-endian; texts are preceded by their
// length (u32). The bytes may come from anyone: what does not fit leaves an Unpacker that is not whole.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lockstep::base {

class Packer {
 public:
  void operator()(std::integral auto number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    packed.append(bytes, sizeof number);
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::uint32_t>(text.size()));
    packed += text;
  }

  std::string packed;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <std::integral Number>
  void operator()(Number& number) {
    const std::string_view bytes = take(sizeof number);
    if (bytes.size() == sizeof number) std::memcpy(&number, bytes.data(), sizeof number);
  }
  void operator()(bool& flag) {
    std::uint8_t byte = 0;
    (*this)(byte);
    flag = byte == 1;
    is_good_ = is_good_ && byte <= 1;
  }
  void operator()(std::string& text) {
    std::uint32_t length = 0;
    (*this)(length);
    text = take(length);
  }

  // A number of things follows, each of at least `min_bytes`; 0 when there cannot be so many.
  std::size_t count(std::size_t min_bytes) {
    std::uint32_t number = 0;
    (*this)(number);
    require(number <= rest_.size() / min_bytes);
    return is_good_ ? number : 0;
  }
  void require(bool holds) { is_good_ = is_good_ && holds; }
  bool is_good() const { return is_good_; }
  bool is_whole() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    is_good_ = is_good_ && count <= rest_.size();
    if (!is_good_) return {};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

// A message of several kinds as bytes: the number of its kind, from 1 on, then its fields. `pack(message,
// packer)` packs the fields of one kind.
template <typename Packer, typename Variant, typename Pack>
std::string packed_variant(const Variant& message, Pack pack) {
  Packer packer;
  packer(static_cast<std::uint8_t>(message.index() + 1));
  std::visit([&](const auto& one) { pack(one, packer); }, message);
  return std::move(packer.packed);
}

// Its inverse. `unpack(message, unpacker)` unpacks the fields of one kind and tells whether they make sense.
// Empty when the bytes are no message.
template <typename Variant, typename Unpacker, std::size_t Kind = 0, typename Unpack>
std::optional<Variant> unpacked_variant(std::string_view bytes, Unpack unpack) {
  if constexpr (Kind == std::variant_size_v<Variant>) {
    return std::nullopt;
  } else {
    if (bytes.empty()) return std::nullopt;
    if (static_cast<std::uint8_t>(bytes.front()) != Kind + 1)
      return unpacked_variant<Variant, Unpacker, Kind + 1>(bytes, unpack);
    std::variant_alternative_t<Kind, Variant> message;
    Unpacker unpacker(bytes.substr(1));
    const bool is_sensible = unpack(message, unpacker);
    if (!unpacker.is_whole() || !is_sensible) return std::nullopt;
    return Variant(std::move(message));
  }
}

}  // namespace lockstep::base
