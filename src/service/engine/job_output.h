// What all ranks of an attempt printed, in one file and in the order of printing:
//
//     1763246400123 3 e RuntimeError: boom
//
// milliseconds of the wall clock, rank, stream ('o' or 'e'; 'O' or 'E' when the line goes on in the next
// entry of this rank and stream), text. The place of an entry in the file is its durable position.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/descriptor.h"
#include "base/process/run.h"
#include "base/result.h"

namespace lockstep::service {

// Cuts what one rank prints into lines and appends each entry by one write, so that ranks do not cut into
// each other's lines.
class OutputWriter {
 public:
  static Result<OutputWriter> open(const std::filesystem::path& path, int rank);

  void keep(process::Stream stream, std::string_view bytes, std::int64_t now_ms);
  void finish(std::int64_t now_ms);  // what was printed without an end of line
  std::vector<std::string> last_lines() const { return last_lines_; }
  const std::string& fault() const { return fault_; }  // why something is not in the file; empty: all is

 private:
  OutputWriter(process::Descriptor file, int rank) : file_(std::move(file)), rank_(rank) {}
  void add_entry(std::string& entries, process::Stream stream, std::string_view text, bool goes_on,
                 std::int64_t now_ms);
  void append(const std::string& entries);

  process::Descriptor file_;
  int rank_;
  std::string pending_[2];
  std::vector<std::string> last_lines_;
  std::string fault_;
};

struct OutputEntry {
  std::int64_t at_ms = 0;
  int rank = 0;
  char stream = 'o';
  std::string_view text;
  std::int64_t next = 0;  // the position behind it
};

// The first entry of `bytes`, which begin at `position` of the file. None: it is not there whole yet. What is
// no entry is passed over.
std::optional<OutputEntry> first_entry(std::string_view bytes, std::int64_t position);

}  // namespace lockstep::service
