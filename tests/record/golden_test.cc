// Recordings of every released format version stay readable: tests/records/<version>/ holds record files and
// what they decode to. Files are added there at a release and never changed.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "sample_recording.h"

namespace lockstep::tests {
namespace {

namespace fs = std::filesystem;

TEST(Golden, EveryReleasedRecordFileDecodesAsItDid) {
  fs::current_path(LOCKSTEP_SOURCE_DIR);
  int files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator("tests/records")) {
    if (entry.path().extension() != ".lockstep") continue;
    std::ostringstream expected;
    expected << std::ifstream(entry.path().parent_path() / "expected.jsonl").rdbuf();
    EXPECT_EQ(dump_as_json_lines(entry.path()), expected.str()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace lockstep::tests
