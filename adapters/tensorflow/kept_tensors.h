// What a collective is given and gives back, with payload: kept in a recording, served in a replay.
#pragma once

#include <tensorflow/core/framework/collective.h>

#include "lockstep/payload.h"

#include "call.h"

namespace lockstep::tensorflow_adapter {

// Before the collective runs: it may write its result over what it is given.
void keep_input(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context,
                const tensorflow::CollectiveParams& params);

// After it, before anybody can use the result.
void keep_end(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context, const Status& status);

// In a replay, instead of running it.
Status serve(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context);

// Of a collective that a replay does not know how to number.
Status not_on_record(const tensorflow::CollectiveParams& params);

}  // namespace lockstep::tensorflow_adapter
