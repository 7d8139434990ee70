#include "base/process/environment.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace lockstep::process {
namespace {

TEST(SearchPath, ProgramsAreFoundAsTheShellFindsThem) {
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "lockstep-path-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  std::ofstream(folder / "orted") << "#!/bin/sh\n";
  EXPECT_EQ(program_in(folder.string(), "orted"), "");  // not executable
  fs::permissions(folder / "orted", fs::perms::owner_all);
  EXPECT_EQ(program_in("/nowhere::" + folder.string(), "orted"), (folder / "orted").string());
  EXPECT_EQ(program_in(folder.parent_path().string(), folder.filename().string()), "");  // a folder
  fs::remove_all(folder);
}

}  // namespace
}  // namespace lockstep::process
