// A record in words: its fields by name, with the numbers of the vocabulary and of definitions replaced by
// what they stand for. Fields that say nothing (no name, no peer) are left out.
#pragma once

#include "base/json.h"
#include "record/definitions.h"
#include "record/reader.h"

namespace lockstep::record {

base::Json describe_header(const lockstep_file_header& header);
base::Json describe(const RecordView& record, const Definitions& definitions);
base::Json describe_stats(const ReadStats& stats);

}  // namespace lockstep::record
