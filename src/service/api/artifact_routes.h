// What a job left behind, over the API: a list, and the bytes of each.
#pragma once

#include "service/api/api.h"

namespace lockstep::service {

Response list_artifacts(Call& call);
Response download_artifact(Call& call);

}  // namespace lockstep::service
