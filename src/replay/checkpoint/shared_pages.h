// Images of one process share most of their pages. Where the kernel does not track written pages, CRIU writes
// every image whole; SharedPages removes what the previous image already has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace lockstep::checkpoint {

// CRIU's list of the pages of a process, pagemap-PID.img: the runs of pages in the order in which
// pages-ID.img has their contents, and which of them are in the previous image (the link "parent").
//
//   two numbers of 32 bits, magic
//   entries, each a length of 32 bits and a protobuf message of numbers:
//     first   1: the ID of the file with the contents
//     others  1: address, 2: pages, 4: flags (1: in the previous image; 4: here), 5: pages again, in later
//     versions
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

class SharedPages {
 public:
  // `folder` is what CRIU wrote, beside that of the previous image. It can be restored before and after. On
  // an error it is unchanged.
  Result<void> remove_known(const std::filesystem::path& folder, pid_t pid);

 private:
  using Contents = base::MappedFile;

  PageMap without_known(const PageMap& whole, std::string_view contents, std::string& kept) const;
  void know(const PageMap& map, std::shared_ptr<const Contents> contents);

  std::filesystem::path before_;                               // the folder of the image before; "": none
  std::unordered_map<std::uint64_t, std::string_view> known_;  // its pages by address
  std::vector<std::shared_ptr<const Contents>> contents_;      // into which those point
};

}  // namespace lockstep::checkpoint
