// Record files of our own recorder (docs/formats/record.md).
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/job.h"
#include "readers/source.h"
#include "record/byte_source.h"

namespace lockstep::readers {

// The attributes of a record by which adapters name their framework.
struct FrameworkAttribute {
  std::string_view key;        // as the adapter writes it; the value is a version
  std::string_view framework;  // as a job names it
};

// Frameworks stand on each other: PyTorch's rank may be Horovod's, and that MPI's. The highest is first.
inline constexpr std::array<FrameworkAttribute, 5> kFrameworkAttributes = {{{"keras", "keras"},
                                                                            {"torch", "pytorch"},
                                                                            {"tensorflow", "tensorflow"},
                                                                            {"horovod", "horovod"},
                                                                            {"mpi", "mpi"}}};

// Null: the attribute names none.
inline const FrameworkAttribute* framework_attribute(std::string_view key) {
  const auto found = std::ranges::find(kFrameworkAttributes, key, &FrameworkAttribute::key);
  return found == kFrameworkAttributes.end() ? nullptr : &*found;
}

// Whether the framework names a job that was named `known` so far; empty: nothing named it.
inline bool names_rather(const FrameworkAttribute& attribute, std::string_view known) {
  return &attribute < std::ranges::find(kFrameworkAttributes, known, &FrameworkAttribute::framework);
}

// host_<name>.json of a recording: what `lockstep run` saw on a host when it suspected a fault. The facts in
// it are of that moment, and the job may have gone on: so nothing is concluded from them, but what could not
// be collected is told.
bool recognises_host_account(const Source& source);
model::Job read_host_account(const Source& source);

bool recognises_recording(const Source& source);
model::Job read_recording(const Source& source);

// The same from bytes that are opened twice, once for the definitions. Nothing opened gives a limit.
using OpenBytes = std::function<std::unique_ptr<record::ByteSource>()>;
model::Job read_record_bytes(const std::string& name, const std::filesystem::path& path,
                             const OpenBytes& open);

}  // namespace lockstep::readers
