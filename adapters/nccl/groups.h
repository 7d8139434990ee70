// ncclGroupStart and ncclGroupEnd: what is called between them is issued by the outermost ncclGroupEnd.
#pragma once

#include "calls.h"

namespace lockstep::adapters::nccl {

void enter_group();

// True: the thread leaves its outermost group with this ncclGroupEnd.
bool is_last_end();

// Before and after the real one that ends the outermost group.
void tell_group();
void settle_group(Result result);

// The group ended without being issued.
void drop_group();

// One more or less, without any of the above.
void leave_inner_group();

}  // namespace lockstep::adapters::nccl
