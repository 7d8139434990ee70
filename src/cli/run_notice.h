// What the watcher says while a job runs, as lines for a person.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "run/watch/watcher.h"

namespace lockstep::cli {

// `after` the job began.
// `by_host`: who found it; empty: this one.
std::string notice_in_words(const watch::Notice& notice, std::chrono::milliseconds after,
                            std::string_view by_host);

}  // namespace lockstep::cli
