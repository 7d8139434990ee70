// Images of one process share most of their pages. CRIU writes each whole where the kernel does not tell
// which pages were written to since; what the image before has already is taken out here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <sys/types.h>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "replay/checkpoint/page_map.h"

namespace lockstep::checkpoint {

class SharedPages {
 public:
  // `folder` is what CRIU wrote, and lies beside that of the image before. It can be restored before and
  // after. On an error it is as it was.
  Result<void> take_out(const std::filesystem::path& folder, pid_t pid);

 private:
  using Contents = base::MappedFile;

  PageMap without_known(const PageMap& whole, std::string_view contents, std::string& kept) const;
  void know(const PageMap& map, std::shared_ptr<const Contents> contents);

  std::filesystem::path before_;                               // the folder of the image before; "": none
  std::unordered_map<std::uint64_t, std::string_view> known_;  // its pages by address
  std::vector<std::shared_ptr<const Contents>> contents_;      // into which those point
};

}  // namespace lockstep::checkpoint
