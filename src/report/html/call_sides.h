// The sides of a finding about calls: which ranks called what, and from which line of the program, with the
// lines around it where the script can still be read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::html {

// Lines of a script around the one that called.
struct Snippet {
  int first_line = 0;
  int called_line = 0;
  std::vector<std::string> lines;
};

struct CallSide {
  std::vector<int> ranks;  // ascending
  std::string call;        // "all_reduce of float32 [577], reduce op sum"
  std::string site;        // "train.py:38 in step"; empty where nothing tells
  Snippet snippet = {};    // without lines: the script is not there, or is not as it was
};

struct FindingSides {
  std::size_t finding = 0;
  std::vector<CallSide> sides;  // most ranks first
};

// An event of a rank that a finding names as evidence.
struct EvidenceEvent {
  std::size_t finding = 0;
  std::size_t rank = 0;   // index into Job::ranks
  std::size_t event = 0;  // of that rank
};

// Lines of scripts go in for ranks that ran on `own_host`: on another one the path names another file. Empty:
// for none.
std::vector<FindingSides> sides_of(const model::Job& job, const std::vector<EvidenceEvent>& evidence,
                                   const std::string& own_host);

// The name of this host where whoever asks owns the recording in `folder`, and made it so; empty otherwise.
// One that came from somebody else could name any script that its reader may read.
std::string host_of_own_recording(const std::string& folder);

// Three lines to either side of `line`. The path comes from a recording, so it may name anything: only a
// Python file that is a plain file of at most a megabyte and did not change since `not_after_ns` is read.
Snippet snippet_of(const std::string& path, int line, std::int64_t not_after_ns);

}  // namespace lockstep::html
