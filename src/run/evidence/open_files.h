// Who has which files and pipes open on this host.
#pragma once

#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"
#include "run/evidence/file_life.h"

namespace lockstep::evidence {

struct OpenFile {
  pid_t pid = 0;
  FileIdentity file;
  FileKind kind = FileKind::kOther;  // regular or pipe
  bool is_read = false;
  bool is_written = false;
};

// Of all processes that may be looked at; others' are left out.
std::vector<OpenFile> open_files(const process::Roots& roots);

// The numbers of all processes, ascending.
std::vector<pid_t> all_processes(const process::Roots& roots);

}  // namespace lockstep::evidence
