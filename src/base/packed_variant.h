// Messages of several kinds as bytes, and back: the number of the kind from 1 on, then its fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lockstep::base {

// `pack(message, packer)` packs the fields of one kind.
template <typename Packer, typename Variant, typename Pack>
std::string packed_variant(const Variant& message, Pack pack) {
  Packer packer;
  packer(static_cast<std::uint8_t>(message.index() + 1));
  std::visit([&](const auto& one) { pack(one, packer); }, message);
  return std::move(packer.packed);
}

// `unpack(message, unpacker)` unpacks the fields of one kind and tells whether they make sense. Nothing: the
// bytes are no message.
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
