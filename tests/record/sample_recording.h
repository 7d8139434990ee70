// Recordings for tests: a small one with every kind of record, and the content of any event of a long one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/reader.h"
#include "writer.h"

namespace lockstep::tests {

// A folder of its own that is gone at the end of the test.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Rank 1 of 4 with every record type, from two lanes. Small chunks, so that there are several of each kind.
void write_sample(const std::filesystem::path& path);

// The call that `thread` writes as its number `index`: every field follows from the two.
lockstep_call numbered_call(std::uint32_t thread, std::uint64_t index, std::uint32_t name);

// Records as copies: where they stood, and their bytes.
struct RecordCopy {
  std::uint64_t offset = 0;
  std::uint8_t type = 0;
  std::string bytes;

  bool operator==(const RecordCopy&) const = default;
};
struct Contents {
  std::vector<RecordCopy> records;
  record::ReadStats stats;
};
Result<Contents> read_all(const std::filesystem::path& path);

// What `lockstep dump --json` prints; "" when the file cannot be read.
std::string dump_as_json_lines(const std::filesystem::path& path);

}  // namespace lockstep::tests
