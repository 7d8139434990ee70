// Sums of what a collective is given and gives back, where the user asked for them. Only host memory is
// summed.
#pragma once

#include <tensorflow/core/framework/collective.h>

#include "call.h"

namespace lockstep::tensorflow_adapter {

bool wants_sums(const tensorflow::OpKernelContext& context);

// Before the collective runs: it may write its result over what it is given.
void sum_input(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context,
               const tensorflow::CollectiveParams& params) noexcept;

// After it, before anybody can use the result.
void sum_output(const lockstep_ticket& ticket, tensorflow::OpKernelContext& context,
                const Status& status) noexcept;

}  // namespace lockstep::tensorflow_adapter
