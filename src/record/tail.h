// Some chunks of a record file as a record file of its own: a ring that has overwritten all the others.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lockstep/record_format.h"

#include "record/byte_source.h"

namespace lockstep::record {

// `offsets` are those of the chunks in `bytes`, whose header is `header`.
std::unique_ptr<ByteSource> tail_of(std::unique_ptr<ByteSource> bytes, lockstep_file_header header,
                                    std::vector<std::uint64_t> offsets);

}  // namespace lockstep::record
