// What the numbers in events stand for: names, communicators, shapes and stacks, read from the definition
// chunks of a record file. Its size follows the number of distinct definitions, not the length of the
// recording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "record/reader.h"

namespace lockstep::record {

struct CommunicatorDefinition {
  std::uint32_t name = 0;
  std::uint32_t description = 0;
  std::uint32_t backend = 0;
  std::uint32_t size = 0;
  int rank_in_it = -1;
  std::vector<lockstep_rank_run> members;  // in communicator order; empty: not known

  // The runs as ranks; no more than the first million, of whole runs.
  std::vector<int> member_ranks() const;
};

struct TensorShape {
  std::uint8_t data_type = 0;
  std::vector<std::int64_t> dimensions;
};

struct TensorsDefinition {
  std::vector<TensorShape> inputs;
  std::vector<TensorShape> outputs;
};

class Definitions {
 public:
  // Takes in the definitions of a file. A damaged one gives what could be read.
  static Result<Definitions> read(const std::filesystem::path& path);

  // The same of a reader that is at its start; best one that passes over events.
  static Definitions read(Reader reader);

  // Takes in one record if it is a definition that is whole; others are ignored.
  void add(const RecordView& record);

  std::string_view string(std::uint32_t id) const;  // "" for 0 and for ids nothing defines
  const CommunicatorDefinition* communicator(std::uint32_t id) const;
  const TensorsDefinition* tensors(std::uint32_t id) const;
  const std::vector<lockstep_frame>* stack(std::uint32_t id) const;

 private:
  void add_string(const RecordView& record);
  void add_communicator(const RecordView& record);
  void add_tensors(const RecordView& record);
  void add_stack(const RecordView& record);

  std::unordered_map<std::uint32_t, std::string> strings_;
  std::unordered_map<std::uint32_t, CommunicatorDefinition> communicators_;
  std::unordered_map<std::uint32_t, TensorsDefinition> tensors_;
  std::unordered_map<std::uint32_t, std::vector<lockstep_frame>> stacks_;
  std::size_t bytes_ = 0;
  std::uint64_t members_ = 0;  // of all communicators
};

}  // namespace lockstep::record
