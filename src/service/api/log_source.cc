#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/json.h"
#include "base/process/descriptor.h"
#include "base/text_fields.h"
#include "service/api/handler.h"
#include "service/engine/job_output.h"
#include "service/http/server.h"
#include "service/job/job.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kPiece = 64 << 10;

class LogSource : public BodySource {
 public:
  LogSource(JobService& service, LogWish wish) : service_(service), wish_(std::move(wish)) {}

  Next next(std::string& bytes) override {
    for (;;) {
      // Asked before reading: what is read after the end is all there is.
      const bool is_final = !service_.is_unfinished(wish_.job_id);
      const Found found = read_into(bytes);
      if (!bytes.empty()) return Next::kData;
      if (found == Found::kUnknown) return Next::kWait;
      if (found == Found::kSomething) continue;
      if (go_to_next_attempt()) continue;
      if (wish_.follows && !is_final) return Next::kWait;
      return end(bytes);
    }
  }

 private:
  // Something, even if all of it was passed over; or nobody knows, as when no descriptor is left.
  enum class Found : std::uint8_t { kNothing, kSomething, kUnknown };

  Found read_into(std::string& bytes) {
    if (!file_.is_open()) {
      const auto path = service_.engine().folder_of(wish_.job_id, wish_.attempt).output();
      file_ = process::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!file_.is_open()) return errno == ENOENT ? Found::kNothing : Found::kUnknown;
      if (!leaves_descriptors(file_.get(), kKeptFromFiles)) {
        file_.close();
        return Found::kUnknown;
      }
    }
    // Thousands of streams ask twenty times a second, and most have nothing new: the question must cost
    // nothing.
    struct stat now {};
    if (::fstat(file_.get(), &now) != 0 || now.st_size <= wish_.position) return Found::kNothing;
    std::string piece(std::min(kPiece, static_cast<std::size_t>(now.st_size - wish_.position)), '\0');
    const ssize_t count = ::pread(file_.get(), piece.data(), piece.size(), wish_.position);
    if (count <= 0) return Found::kNothing;
    const std::string_view read(piece.data(), static_cast<std::size_t>(count));
    const std::int64_t begin = wish_.position;
    while (const auto entry =
               first_entry(read.substr(static_cast<std::size_t>(wish_.position - begin)), wish_.position)) {
      wish_.position = entry->next;
      if (!wish_.rank || *wish_.rank == entry->rank) add(bytes, *entry);
    }
    return wish_.position != begin ? Found::kSomething : Found::kNothing;
  }

  void add(std::string& bytes, const OutputEntry& entry) const {
    if (wish_.form == LogForm::kText) {
      fmt::format_to(std::back_inserter(bytes), "[{}] {}\n", entry.rank, entry.text);
      return;
    }
    const bool is_err = entry.stream == 'e' || entry.stream == 'E';
    const base::Json json = {{"at", rfc3339(entry.at_ms)},
                             {"attempt", wish_.attempt},
                             {"rank", entry.rank},
                             {"stream", is_err ? "err" : "out"},
                             {"text", std::string(entry.text)},
                             {"goes_on", entry.stream == 'O' || entry.stream == 'E'}};
    const std::string line = base::to_text(json, base::JsonLayout::kOneLine);
    if (wish_.form == LogForm::kEvents) {
      fmt::format_to(std::back_inserter(bytes), "id: {}.{}\ndata: {}\n\n", wish_.attempt, wish_.position,
                     base::trimmed(line));
    } else {
      bytes += base::trimmed(line);
      bytes += '\n';
    }
  }

  bool go_to_next_attempt() {
    if (wish_.only_this_attempt) return false;
    std::error_code ignored;
    const auto next = service_.engine().folder_of(wish_.job_id, wish_.attempt + 1).output();
    if (!std::filesystem::exists(next, ignored)) return false;
    ++wish_.attempt;
    wish_.position = 0;
    file_.close();
    return true;
  }

  Next end(std::string& bytes) {
    if (wish_.form != LogForm::kEvents || was_ended_ || !wish_.follows) return Next::kEnd;
    was_ended_ = true;
    const auto job = service_.store().job(wish_.job_id);
    const std::string_view state = job.ok() && job.value() ? word_for(job.value()->state) : "DELETED";
    bytes = fmt::format("event: end\ndata: {{\"state\": \"{}\"}}\n\n", state);
    return Next::kEnd;
  }

  JobService& service_;
  LogWish wish_;
  process::Descriptor file_;
  bool was_ended_ = false;
};

}  // namespace

bool take_position(std::string_view id, LogWish& wish) {
  const std::string_view attempt = base::word_of(id, '.');
  if (attempt.size() >= id.size()) return false;
  const auto number = base::number_in<int>(attempt);
  const auto position = base::number_in<std::int64_t>(id.substr(attempt.size() + 1));
  if (!number || !position || *number < 1 || *position < 0) return false;
  wish.attempt = *number;
  wish.position = *position;
  return true;
}

std::unique_ptr<BodySource> make_log_source(JobService& service, const LogWish& wish) {
  return std::make_unique<LogSource>(service, wish);
}

}  // namespace lockstep::service
