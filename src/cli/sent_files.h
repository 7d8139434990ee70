// Files and folders that go along with a job, by the paths that they have from here.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::cli {

// Below the current folder the path from there, else the name alone.
std::string path_in_job(const std::filesystem::path& path);

// Content by path in the job. Of a folder everything but hidden files and __pycache__; links are followed to
// files, not to folders.
Result<std::map<std::string, std::string>> read_sent_files(const std::vector<std::string>& paths);

}  // namespace lockstep::cli
