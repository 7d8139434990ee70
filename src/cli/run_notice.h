// What the watcher says while a job runs, as lines for a person.
#pragma once

#include <chrono>
#include <string>

#include "watch/watcher.h"

namespace lockstep::cli {

// `after` the job began.
std::string notice_in_words(const watch::Notice& notice, std::chrono::milliseconds after);

}  // namespace lockstep::cli
