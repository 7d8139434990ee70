// Which steps of TensorFlow were failed by Horovod's kernels. The C interface cannot be asked, so the
// functions by which they say it lead through here.
#pragma once

#include <cstdint>

namespace lockstep::adapters::horovod {

// `handle`: of Horovod's library for TensorFlow. What it does not use is left alone.
void watch_failures(void* handle);

// Whether this thread failed the step of this context last.
bool is_failed(const void* context);

// The id of what was said with it; 0 when that is not known, or says only that others left.
std::uint32_t words_of_failure();

}  // namespace lockstep::adapters::horovod
