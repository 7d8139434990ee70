// A file that is named like the dump of a rank and holds none: empty, another pickle, or nothing known. That
// the rank left it is evidence, though its content is not.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

// The only one that decides by the name; it is asked last.
bool is_named_like_a_dump(const Source& source);
model::Job read_unreadable_dump(const Source& source);

}  // namespace lockstep::readers
