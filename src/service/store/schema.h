// The tables of the job store, and how those of an earlier program become those of this one.
#pragma once

#include "service/job/job.h"
#include "service/store/database.h"

namespace lockstep::service {

// Makes what is not there. An error when a later program made the store.
Result<void> bring_up_to_date(Database& database);

// Where jobs are found by label.
Result<void> insert_labels(Database& database, const Job& job);

}  // namespace lockstep::service
