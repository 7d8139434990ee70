// What every kind of stack dump comes to: processes with threads with frames, and frames as Python prints
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lines.h"
#include "model/job.h"
#include "model/line_origin.h"
#include "readers/source.h"

namespace lockstep::readers {

// `File "train.py", line 12, in main` of a traceback and `File "train.py", line 12 in main` of faulthandler.
std::optional<model::Frame> parse_python_frame(std::string_view text);

// The frames of the last traceback in the text, innermost first: of an exception that was raised while
// another was handled, or from another, that is the one which ended the program.
model::Stack last_traceback(std::string_view text);

struct ThreadDump {
  std::string name;
  std::optional<std::int64_t> number;  // the operating system's
  model::Stack frames;                 // innermost first
  bool is_main = false;
  bool holds_lock = false;
  std::uint32_t position = 0;
};

struct ProcessDump {
  model::LineOrigin origin;
  std::string host;
  std::optional<std::int64_t> pid;
  std::vector<ThreadDump> threads;
  std::string failure;        // "Fatal Python error: Segmentation fault"; empty: none
  model::Stack failed_stack;  // of the thread that failed
  std::optional<int> signal;  // that ended it
  std::uint32_t position = 0;
};

// One history for each process, numbered by what the dump says, then by the name of the file. A process that
// neither tells has no number, but its pid, by which other evidence may know it.
model::Job job_of_dumps(const Source& source, std::vector<ProcessDump> dumps);

// A dump of a whole process tree holds more than ranks: launchers above them, data loader workers below.
struct FamilyMember {
  ProcessDump dump;
  bool is_launcher = false;
  std::optional<std::int64_t> parent;
};

bool is_launcher_command(std::string_view command_line);

// Without launchers, and without children of processes that are here and no launchers.
std::vector<ProcessDump> only_ranks(std::vector<FamilyMember> family);

// A text with stack dumps in it: from one process, from all ranks in sections as PyTorch's debug server
// writes it, or somewhere in a log in which the lines of several ranks alternate.
//
// Each origin of lines gets a parser of its own, so that what others print meanwhile does not matter. A
// Parser has
//     static bool begins(std::string_view line);   // is it worth having a parser from this line on?
//     void take(std::string_view line, std::uint32_t number);
//     std::vector<ProcessDump> finish();

// `=== Rank 3: http://node-b:25999 ===`
struct DumpSection {
  std::size_t number = 0;  // from 1; 0: no section yet
  std::optional<int> rank;
  std::string host;
};

std::optional<DumpSection> parse_section_head(std::string_view line);

// What the section says instead of stacks when its rank did not answer: "Error: 503".
bool is_section_error(std::string_view line);

void add_section_limit(const Source& source, const DumpSection& section, std::string_view error,
                       std::vector<std::string>& limits);

template <typename Parser>
class DumpText {
 public:
  void read(const Source& source) {
    base::Lines lines(source.bytes);
    while (const auto line = lines.next()) {
      if (auto head = parse_section_head(*line)) {
        const std::size_t number = section_.number + 1;
        section_ = std::move(*head);
        section_.number = number;
        last_ = nullptr;
      } else if (section_.number != 0 && is_section_error(*line)) {
        add_section_limit(source, section_, *line, limits);
      } else {
        take(*line, lines.number());
      }
    }
    for (Origin& origin : origins_) finish(origin);
  }

  std::vector<ProcessDump> dumps;
  std::vector<std::string> limits;

 private:
  using Key = std::pair<std::size_t, model::LineOrigin>;
  struct Origin {
    Key key;
    std::string host;
    model::LineOrigin of_dump;
    Parser parser;
  };

  void take(std::string_view line, std::uint32_t number) {
    const model::OwnedLine owned = model::split_origin(line);
    Origin* origin = find(Key{section_.number, owned.origin}, owned.text);
    if (origin != nullptr) origin->parser.take(owned.text, number);
  }

  Origin* find(const Key& key, std::string_view text) {
    if (last_ != nullptr && last_->key == key) return last_;
    if (const auto place = place_of_.find(key); place != place_of_.end()) return last_ = place->second;
    if (!Parser::begins(text)) return nullptr;
    model::LineOrigin of_dump = key.second;
    if (!of_dump.rank) of_dump.rank = section_.rank;
    origins_.push_back({.key = key, .host = section_.host, .of_dump = of_dump, .parser = {}});
    last_ = &origins_.back();
    place_of_[key] = last_;
    return last_;
  }

  void finish(Origin& origin) {
    for (ProcessDump& dump : origin.parser.finish()) {
      dump.origin = origin.of_dump;
      if (dump.host.empty()) dump.host = origin.host;
      dumps.push_back(std::move(dump));
    }
  }

  DumpSection section_;
  std::deque<Origin> origins_;
  std::map<Key, Origin*> place_of_;
  Origin* last_ = nullptr;
};

template <typename Parser>
model::Job read_dump_text(const Source& source) {
  DumpText<Parser> text;
  text.read(source);
  model::Job job = job_of_dumps(source, std::move(text.dumps));
  job.limits.insert(job.limits.end(), text.limits.begin(), text.limits.end());
  return job;
}

}  // namespace lockstep::readers
