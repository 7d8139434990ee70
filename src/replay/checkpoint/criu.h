// CRIU, which freezes a process into files and makes it again from them. A program of its own, since it needs
// the rights of root and knows more of kernels than we want to.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace lockstep::checkpoint {

class Criu {
 public:
  // The one that LOCKSTEP_CRIU names, or the first in PATH; it must be there and say of itself that it works.
  // The error says why no images can be made.
  static Result<Criu> find();

  // Freezes a stopped process, which stays as it is.
  Result<void> dump(pid_t pid, const std::filesystem::path& folder) const;

  // Something that the process had open and that another descriptor takes the place of: "pipe:[4711]".
  struct Instead {
    int descriptor;
    std::string known_as;
  };

  // Makes the process again, stopped as it was, as a child of the first process of the caller's namespace.
  // `folder` may be any path by which the program reaches it; its log is `log` therein.
  Result<void> restore(const std::filesystem::path& folder, const std::string& log,
                       const std::vector<Instead>& instead) const;

 private:
  explicit Criu(std::string program) : program_(std::move(program)) {}

  std::string program_;
};

// The first error in a log of CRIU that it did not get over.
std::string error_in(std::string_view log);

}  // namespace lockstep::checkpoint
