#include "service/engine/stale_meeting.h"

#include <filesystem>
#include <string_view>

#include "base/text_fields.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

// "file:///a/b" anywhere in a word: an argument, or the value of a variable.
void put_away(std::string_view word, std::vector<std::string>& done) {
  const std::string_view path = base::word_after(word, "file://", std::string_view("?,; \t"));
  if (!path.starts_with('/')) return;
  const fs::path file(path);
  std::error_code fault;
  if (!fs::is_regular_file(file, fault) || fs::file_size(file, fault) == 0 || fault) return;
  fs::rename(file, file.string() + ".stale", fault);
  if (!fault) done.push_back(file.string());
}

}  // namespace

std::vector<std::string> put_away_stale_meetings(const Plan& plan,
                                                 const std::vector<std::string>& environment) {
  std::vector<std::string> done;
  for (const std::string& word : plan.command) put_away(word, done);
  for (const std::string& entry : environment) {
    // Only where a meeting place is named: other variables may name data.
    if (base::word_of(entry, '=').find("INIT_METHOD") != std::string_view::npos) put_away(entry, done);
  }
  return done;
}

}  // namespace lockstep::service
