// What the answers of the API look like, for the OpenAPI document.
#pragma once

#include "base/json.h"

namespace lockstep::service {

// By name, as JSON Schema. They follow views.cc.
base::Json answer_schemas();

}  // namespace lockstep::service
