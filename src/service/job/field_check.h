// Whether the values of a request are what its fields can hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {

// "/labels/a~1b": names inside a pointer are escaped as RFC 6901 has it.
std::string json_pointer(std::string_view name, std::string_view inner = {});

// Whether a path that somebody else wrote leads to a file below the folder that it is meant for.
bool stays_inside(const std::string& path);

std::vector<FieldFault> faults_of_value(const SpecField& field, const base::Json& value);

// What no field shows alone: script or command, paths that stay in the job's folder, names of variables.
std::vector<FieldFault> faults_of_whole(const base::Json& request, const JobSpec& spec);

}  // namespace lockstep::service
