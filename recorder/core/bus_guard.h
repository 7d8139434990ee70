// Memory that is a file of the recorder must not cost the training job its life when somebody cuts that file
// short (`: > FILE`, a clean-up): the kernel raises SIGBUS for a page that the file no longer has.
//
// One handler for the process, set when the first file is mapped. A fault in a guarded range gets memory
// without a file in its place, and the program goes on as if nothing had been; that the file is lost is told
// once. Any other SIGBUS is none of ours: the disposition that was there before is put back, for good, and
// gets the very same signal, so that the job dies, dumps and reports as it would have. A handler that the
// program sets later replaces this one, which is never set again.
//
// The handler makes system calls only, and takes no lock. A thread that has SIGBUS blocked is not helped: the
// kernel ends the process.
#pragma once

#include <cstddef>

namespace lockstep::recorder {

// Guards [begin, begin + bytes), a whole mapping. With too many ranges already, or where no handler can be
// set, it stays as it is without.
void guard_against_truncation(char* begin, std::size_t bytes);
void end_guard(const char* begin);

// Called with the address of each page that was lost, in a signal handler; `tell` is never taken back.
void tell_of_lost_pages(void (*tell)(const void* address));

}  // namespace lockstep::recorder
