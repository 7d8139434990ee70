// Factors: short runs of bytes of which every match of an expression contains at least one. A text without
// them needs no closer look.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_search/window_search.h"

namespace lockstep::base {

// The shape of a regular expression without its captures and assertions: which bytes can follow which. What
// matches the expression also walks through its shape, so what every walk must show is a safe thing to look
// for first.

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

// Long enough that one of its four windows of four bytes begins at a multiple of four, wherever it stands.
inline constexpr std::size_t kFactorBytes = 7;

// Each byte by the number of its class.
using Factor = std::array<std::uint16_t, kFactorBytes>;

struct FactorSet {
  std::uint32_t mix = 0x9E3779B1U;  // by which windows are hashed
  std::vector<ByteClass> classes;
  std::vector<Factor> factors;
};

// Both, those of `more` last.
FactorSet joined(FactorSet set, const FactorSet& more);

// How common each four bytes are in ordinary text, so that rare ones can be looked for. Case and the value of
// digits do not matter.
class Commonness {
 public:
  explicit Commonness(std::string_view ordinary_text);
  double of(std::span<const unsigned char, kWindowBytes> window) const;  // times in a megabyte
  double of_bits(const WindowBits& bits, std::uint32_t mix) const;

 private:
  double per_megabyte_;
  std::map<std::uint32_t, std::uint32_t> counts_;
};

class FactorChooser {
 public:
  explicit FactorChooser(const Commonness& commonness) : commonness_(commonness) {}

  // Adds factors for the expression, the rarest that do. For its alternatives that have none that are rare
  // enough it gives back expressions that must be looked for everywhere: four bytes that every match
  // contains, or the alternative itself.
  std::vector<std::string> add(std::string_view regex);

  FactorSet take() &&;

 private:
  using WindowClasses = std::array<std::uint16_t, kWindowBytes>;
  struct Choice {
    double cost = 0;
    std::vector<Factor> factors;
  };

  bool add_alternative(std::string_view regex);
  std::vector<std::string> short_expressions(std::string_view regex);
  // Of runs of `length` bytes, which are the first of each factor.
  std::optional<Choice> best_for(const RegexShape& shape, const RegexNode& node, std::size_t length);
  std::optional<Choice> best_around(const RegexShape& shape, std::size_t position, std::size_t length);
  bool add_cost(const Factor& factor, std::size_t length, std::set<WindowClasses>& windows, double& sum);
  std::optional<double> cost_of_window(const WindowClasses& window);
  void choose_mix();
  std::uint16_t class_number(const ByteClass& bytes);

  const Commonness& commonness_;
  FactorSet chosen_;
  std::vector<std::vector<unsigned char>> folded_;  // by class: its bytes without regard to case
  std::map<WindowClasses, std::optional<double>> window_costs_;
};

std::uint32_t window_value(std::span<const unsigned char, kWindowBytes> bytes);

std::vector<unsigned char> folded_bytes(const ByteClass& bytes);

// Every folded value that the window at `at` of the factor can have. `folded` has the folded bytes of each
// class.
template <typename OnValue>
void for_each_string(const std::vector<std::vector<unsigned char>>& folded, const Factor& factor,
                     std::size_t at, OnValue&& on_value) {
  for (const unsigned char first : folded[factor[at]]) {
    for (const unsigned char second : folded[factor[at + 1]]) {
      for (const unsigned char third : folded[factor[at + 2]]) {
        for (const unsigned char fourth : folded[factor[at + 3]])
          on_value(window_value(std::array{first, second, third, fourth}));
      }
    }
  }
}

// One line of text, for storing.
std::string to_text(const FactorSet& set);
FactorSet factors_from_text(std::string_view text);

}  // namespace lockstep::base
