// Record files of our own recorder (docs/formats/record.md).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "model/job.h"
#include "readers/source.h"
#include "record/byte_source.h"

namespace lockstep::readers {

bool recognises_recording(const Source& source);
model::Job read_recording(const Source& source);

// The same from bytes that are opened twice, once for the definitions. Nothing opened gives a limit.
using OpenBytes = std::function<std::unique_ptr<record::ByteSource>()>;
model::Job read_record_bytes(const std::string& name, const std::filesystem::path& path,
                             const OpenBytes& open);

}  // namespace lockstep::readers
