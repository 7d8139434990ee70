// CRIU's list of the pages of a process, pagemap-PID.img: which runs of pages there are, in the order in
// which pages-ID.img has their contents, and which of them are in the image before (its folder is the link
// "parent").
//
//   two numbers of 32 bits, magic
//   entries, each a length of 32 bits and a protobuf message of numbers:
//     first   1: the ID of the file with the contents
//     others  1: address, 2: pages, 4: flags (1: in the image before; 4: here), 5: pages again, in later
//     versions
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lockstep::checkpoint {

inline constexpr std::size_t kPageBytes = 4096;

struct PageRun {
  static constexpr std::uint32_t kInImageBefore = 1;
  static constexpr std::uint32_t kHere = 4;

  std::uint64_t address = 0;
  std::uint64_t pages = 0;
  std::uint32_t flags = 0;
  bool says_pages_twice = false;

  bool is_here() const { return (flags & kHere) != 0; }
  bool operator==(const PageRun&) const = default;
};

struct PageMap {
  std::string magic;
  std::uint64_t contents = 0;  // ID
  std::vector<PageRun> runs;
};

Result<PageMap> decode_page_map(std::string_view bytes, std::string_view where);
std::string encode_page_map(const PageMap& map);

}  // namespace lockstep::checkpoint
