// Whose code a frame of a traceback is, and what an exception raised there means.
#pragma once

#include <optional>
#include <span>

#include "diagnose/logs/traceback.h"
#include "model/finding.h"

namespace lockstep::logs {

// What an exception that a framework's own Python code raised is about, told by the part of the framework
// that raised it. For texts that no entry knows: modules keep their names longer than messages their words.

// Of the first exception that was raised in a part that is known; nullopt where there is none.
std::optional<model::Leaf> library_place_in(std::span<const RaisedException> raised);

// Raised by frameworks for what happened elsewhere, by the network or by whoever ends the job.
bool tells_of_something_else(const RaisedException& exception);

bool speaks_of_shapes(const RaisedException& exception);

// Raised by code that is neither Python's nor an installed or checked-out framework's, and of a kind that
// tells of the script itself: no lost connection, no failed import, no launcher's report.
bool is_the_scripts_own(const RaisedException& exception);

// By the exception's kind, then by what the code does that raised it, then by its words.
model::Leaf leaf_of(const RaisedException& exception);

// Of the innermost frame that is the script's: "train.py:18".
std::string place_of(const RaisedException& exception);

// The line of the user's code that led to it, whoever raised it then; none where all frames are a library's.
std::optional<model::CodePlace> code_place_of(const RaisedException& exception);

}  // namespace lockstep::logs
