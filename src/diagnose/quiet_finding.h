// What is said of a job that still runs and has stopped printing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "diagnose/logs/context.h"
#include "diagnose/quiet_job.h"
#include "model/finding.h"

namespace lockstep::diagnose {

// `last_line` of the log that was written last. Nothing where neither the logs nor a launcher's variables
// show that this is training: any other program may be silent for as long as it likes.
std::optional<model::Finding> finding_about(const QuietJob& job, logs::Stage stage,
                                            const catalogue::Catalogue& catalogue,
                                            const model::Evidence& last_line);

// A command that shows where its processes stand.
std::string how_to_see_more(const QuietJob& job);

}  // namespace lockstep::diagnose
