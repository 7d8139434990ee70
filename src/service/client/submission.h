// What a client sends along with a job: variables of its shell, files, and, for a job that somebody else
// starts, the whole job as objects of Kubernetes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lockstep::service {

// Paths of programs and libraries mean nothing on another machine.
enum class Sender { kThisMachine, kAnotherMachine };

// The variables that lead to programs and libraries and those that frameworks read. Everything else stays
// here unless it is `asked` for, as typed: NAME (its value here) or NAME=VALUE.
Result<std::map<std::string, std::string>> submitted_environment(const std::vector<std::string>& environment,
                                                                 const std::vector<std::string>& asked,
                                                                 Sender from);

// The interpreter that `python3` or `python` means in this PATH; empty when there is none.
std::string interpreter_in(const std::string& path);

// Below the current folder the path from there, else the name alone.
std::string path_in_job(const std::filesystem::path& path);

// Content by path in the job. Of a folder everything but hidden files and __pycache__; links are followed to
// files, not to folders.
Result<std::map<std::string, std::string>> read_sent_files(const std::vector<std::string>& paths);

struct ManifestWish {
  std::string kind;                    // "job", "pytorchjob" ...
  std::string image;                   // of the container
  std::vector<std::string> variables;  // as typed, NAME or NAME=VALUE
};

// The request as objects of Kubernetes.
Result<base::Json> manifest_for(const base::Json& request, const ManifestWish& wish);

}  // namespace lockstep::service
