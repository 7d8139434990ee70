#include "readers/stacks/py_spy_json.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "readers/stacks/process_dump.h"
#include "readers/stacks/process_family.h"

namespace lockstep::readers {
namespace {

model::Frame frame_of(base::FastJson frame) {
  constexpr std::int64_t kLargestLine = 1'000'000'000;
  model::Frame result;
  result.function = base::string_member(frame, "name").value_or("");
  result.file = base::string_member(frame, "filename").value_or("");
  const std::int64_t line = base::integer_member(frame, "line").value_or(0);
  result.line = line > 0 && line <= kLargestLine ? static_cast<int>(line) : 0;
  return result;
}

ThreadDump thread_of(base::FastJson thread) {
  ThreadDump result;
  result.name = base::string_member(thread, "thread_name").value_or("");
  result.number = base::integer_member(thread, "os_thread_id");
  result.holds_lock = base::bool_member(thread, "owns_gil").value_or(false);
  base::for_each_element(base::member(thread, "frames"),
                         [&](base::FastJson frame) { result.frames.push_back(frame_of(frame)); });
  return result;
}

FamilyMember process_of(base::FastJson thread) {
  FamilyMember member;
  member.dump.pid = base::integer_member(thread, "pid");
  if (const auto info = base::member(thread, "process_info")) {
    member.is_launcher = is_launcher_command(base::string_member(*info, "command_line").value_or(""));
    if (const auto parent = base::member(*info, "parent")) {
      member.parent = base::integer_member(*parent, "pid");
    }
  }
  return member;
}

}  // namespace

bool recognises_py_spy_json(const Source& source) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = source.bytes.substr(0, kHead);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && head[begin] == '[' &&
         head.find("\"os_thread_id\"") != std::string_view::npos &&
         head.find("\"owns_gil\"") != std::string_view::npos;
}

model::Job read_py_spy_json(const Source& source) {
  base::FastJsonParser parser;
  base::JsonObjects objects(source.bytes);
  std::vector<FamilyMember> family;
  std::map<std::optional<std::int64_t>, std::size_t> place_of;
  std::uint32_t position = 0;
  std::uint32_t unreadable = 0;
  while (const auto object = objects.next()) {
    ++position;
    const auto thread = parser.parse(*object);
    if (!thread) {
      ++unreadable;
      continue;
    }
    FamilyMember process = process_of(*thread);
    const auto [place, is_new] = place_of.try_emplace(process.dump.pid, family.size());
    if (is_new) family.push_back(std::move(process));
    ThreadDump dump = thread_of(*thread);
    dump.is_main =
        dump.name.empty() ? dump.number == family[place->second].dump.pid : dump.name == "MainThread";
    dump.position = position;
    family[place->second].dump.threads.push_back(std::move(dump));
  }
  model::Job job = job_of_dumps(source, only_ranks(std::move(family)));
  if (unreadable != 0) {
    job.limits.push_back(fmt::format("{}: {} threads could not be read", source.name, unreadable));
  }
  if (!objects.was_closed()) {
    job.limits.push_back(fmt::format("{}: cut after {} threads", source.name, position));
  }
  return job;
}

}  // namespace lockstep::readers
