// Every pair of hosts at once. A host treats all peers alike that no rule, route or network of its own tells
// apart: one answer for each such class instead of one for each pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/reach.h"

namespace lockstep::network {

// A square of bits, a row after the other; 10,000 hosts make 12 MB.
class BitMatrix {
 public:
  BitMatrix() = default;
  explicit BitMatrix(std::size_t size)
      : size_(size), row_words_((size + 63) / 64), words_(size * row_words_, 0) {}

  std::size_t size() const { return size_; }
  void set(std::size_t row, std::size_t column) {
    words_[row * row_words_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }
  bool has(std::size_t row, std::size_t column) const {
    return ((words_[row * row_words_ + column / 64] >> (column % 64)) & 1) != 0;
  }
  std::span<std::uint64_t> row(std::size_t at) { return {words_.data() + at * row_words_, row_words_}; }
  std::span<const std::uint64_t> row(std::size_t at) const {
    return {words_.data() + at * row_words_, row_words_};
  }
  std::uint64_t count() const;

  // Rows become columns.
  BitMatrix transposed() const;

 private:
  std::size_t size_ = 0;
  std::size_t row_words_ = 0;
  std::vector<std::uint64_t> words_;
};

struct Endpoint {
  std::size_t host = 0;                     // among the ReachHosts
  base::Address address = {};               // at which the others find it
  PortSet ports = {};                       // where it listens: all of them must be open
  std::optional<base::Address> bound = {};  // from which it connects; empty: its routes choose
};

struct PairsVerdict {
  std::uint64_t open = 0;  // directed pairs
  std::uint64_t blocked = 0;
  std::uint64_t unknown = 0;

  // A row for each source.
  BitMatrix blocked_pairs = {};
  BitMatrix unknown_pairs = {};

  Reach at(std::size_t source, std::size_t destination) const {
    if (blocked_pairs.has(source, destination)) return Reach::kBlocked;
    return unknown_pairs.has(source, destination) ? Reach::kUnknown : Reach::kOpen;
  }
};

// From every endpoint to every other, as judge_flow would say it of each. Uses up to `threads` threads.
PairsVerdict judge_pairs(const ReachHosts& hosts, std::span<const Endpoint> endpoints, unsigned threads);

}  // namespace lockstep::network
