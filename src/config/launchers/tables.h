// The flags that each launcher documents.
#pragma once

#include "config/flag_table.h"

namespace lockstep::config {

extern const LauncherTable kTorchrunFlags;
extern const LauncherTable kHorovodrunFlags;
extern const LauncherTable kMpirunFlags;
extern const LauncherTable kSrunFlags;
extern const LauncherTable kDeepspeedFlags;
extern const LauncherTable kAccelerateFlags;

}  // namespace lockstep::config
