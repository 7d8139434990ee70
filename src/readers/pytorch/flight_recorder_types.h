// The names c10 gives to data types.
#pragma once

#include <string_view>

#include "model/words.h"

namespace lockstep::readers {

model::DataType flight_recorder_type(std::string_view name);

}  // namespace lockstep::readers
