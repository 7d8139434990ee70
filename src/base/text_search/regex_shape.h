// The shape of a regular expression without its captures and assertions: which bytes can follow which. What
// matches the expression also walks through its shape, so what every walk must show is a safe thing to look
// for first.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::base {

using ByteClass = std::bitset<256>;

struct RegexNode {
  enum class Kind : std::uint8_t { kBytes, kSequence, kChoice, kOptional, kRepeated };
  Kind kind = Kind::kSequence;
  std::size_t position = 0;              // kBytes: its place in RegexShape::bytes
  std::vector<RegexNode> children = {};  // kOptional, kRepeated (once or more): one
};

struct RegexShape {
  std::vector<ByteClass> bytes;                // of each position, both cases of a letter
  std::vector<std::vector<std::size_t>> next;  // of each position: which can stand behind it
  std::vector<std::vector<std::size_t>> before;
  std::vector<bool> can_begin;  // a match
  std::vector<bool> can_end;
  RegexNode root;
};

// nullopt for what it does not understand, and for expressions of absurd size.
std::optional<RegexShape> shape_of(std::string_view regex);

}  // namespace lockstep::base
