// What a rank of a test program is, and one number over everything it saw.
#pragma once

#include <cstddef>
#include <cstdint>

struct RankSum {
  int rank = 0;
  int world = 1;
  std::uint64_t sum = 14695981039346656037u;

  void add(const void* data, std::size_t bytes) {
    const auto* letters = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) sum = (sum ^ letters[i]) * 1099511628211u;
  }
};
