// What one satellite tells, kept in the recording of the head: copies of its ranks' record files, the state
// of their processes, evidence and output.
//
// Names of files are made here, from numbers; no message can choose one. A file that is there already is
// never touched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/process/descriptor.h"
#include "base/result.h"
#include "run/multihost/messages.h"

namespace lockstep::multihost {

class HostCopy {
 public:
  // `label` names the host in the files that tell about it.
  HostCopy(std::filesystem::path recording, std::string label);

  // An error when the message cannot be right, or the disk is full.
  Result<void> keep(const RankFile& file);
  Result<void> keep(const RecordBytes& bytes);
  void keep(const Pulse& pulse);
  Result<void> keep(const EvidenceFile& evidence) const;
  Result<void> keep(const Output& output) const;

  // Nobody looks at its processes any more.
  void lose_sight();
  // Takes the record files away.
  void remove();

  std::vector<int> ranks() const;

 private:
  struct File {
    process::Descriptor record;
    process::Descriptor process;
    std::uint64_t header_bytes = 0;
    std::uint64_t chunk_bytes = 0;
    std::uint64_t size_bytes = 0;
    ProcessState state;
  };

  std::filesystem::path path_of(const RankName& name) const;
  Result<void> clear_chunk(const File& file, std::uint64_t begin) const;
  void report_process(const File& file) const;

  std::filesystem::path recording_;
  std::string label_;
  std::map<RankName, File> files_;
  std::int64_t clock_lead_ns_ = 0;
};

// Letters, digits, dots and dashes of a name that came from elsewhere.
std::string in_a_file_name(std::string_view name);

}  // namespace lockstep::multihost
