// A record file in readable form, one line for each record, streamed: memory does not grow with the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "record/definitions.h"
#include "record/reader.h"

namespace lockstep::record {

// A record in words: its fields by name, with the numbers of the vocabulary and of definitions replaced by
// what they stand for. Fields that say nothing (no name, no peer) are left out.
base::Json describe_header(const lockstep_file_header& header);
base::Json describe(const RecordView& record, const Definitions& definitions);
base::Json describe_stats(const ReadStats& stats);

enum class DumpLayout {
  kText,      // for people: a head, aligned columns, a closing line; escaped for the terminal
  kJsonLines  // for programs: {"record":"header",...}, one object for each record, {"record":"summary",...}
};

struct DumpOptions {
  DumpLayout layout = DumpLayout::kText;
  std::set<std::uint8_t> types;  // only these; empty: all
  std::uint64_t limit = 0;       // at most so many records; 0: all
};

using DumpSink = std::function<Result<void>(std::string_view line)>;

// An error of the sink ends it and is returned.
Result<ReadStats> dump_file(const std::filesystem::path& path, const DumpOptions& options,
                            const DumpSink& sink);

std::string_view done_status_word(std::uint8_t number);
std::string_view phase_word(std::uint8_t number);
std::string_view blob_role_word(std::uint8_t number);
std::string_view record_type_word(std::uint8_t number);

// Every word that record_type_word gives, except "unknown".
inline constexpr std::string_view kRecordTypeWords[] = {
    "call",   "done", "activity", "checksum",     "blob",    "clock", "dropped",
    "thread", "end",  "string",   "communicator", "tensors", "stack", "attribute",
};
std::optional<std::uint8_t> record_type_with_word(std::string_view word);

}  // namespace lockstep::record
