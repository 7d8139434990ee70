#include "diagnose/ranks/describe.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "diagnose/ranks/signature.h"
#include "model/rank.h"

namespace lockstep::ranks {

namespace {

// Two digits, or all of those before the point.
std::string two_digits(double value) {
  return value < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

std::string percent(double share) {
  return two_digits(share * 100) + " %";
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string duration_in_words(double duration_ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  for (const Unit& unit : kUnits) {
    if (duration_ns >= unit.ns) return two_digits(duration_ns / unit.ns) + " " + unit.name;
  }
  return fmt::format("{:.0f} ns", duration_ns);
}

namespace {

using model::EventState;

std::string_view state_in_words(EventState state) {
  switch (state) {
    case EventState::kUntracked:
      return "issued";
    case EventState::kIssued:
      return "issued, not finished";
    case EventState::kStarted:
      return "started, not finished";
    case EventState::kCompleted:
      return "completed";
    case EventState::kFailed:
      return "given up before it finished";
  }
  return "";
}

// Frames of the frameworks themselves say little; the user's own say where to look.
bool is_library_frame(const model::Frame& frame) {
  constexpr std::array<std::string_view, 8> kLibraries = {
      "site-packages/", "dist-packages/", "/lib/python", "torch/distributed/",
      "<frozen ",       "runpy.py",       ".so",         "../sysdeps/"};
  return std::ranges::any_of(
      kLibraries, [&](std::string_view library) { return frame.file.find(library) != std::string::npos; });
}

std::string describe_frame(const model::Frame& frame) {
  const std::size_t slash = frame.file.rfind('/');
  const std::string_view file =
      std::string_view(frame.file).substr(slash == std::string::npos ? 0 : slash + 1);
  return frame.line > 0 ? fmt::format("{}:{} in {}", file, frame.line, frame.function)
                        : fmt::format("{} in {}", file, frame.function);
}

}  // namespace

std::string name_of(const model::Job& job, model::CommunicatorId communicator) {
  if (communicator == model::CommunicatorId::kNone) return "an unnamed group";
  const model::Communicator& one = job.communicators[communicator];
  const bool has_description = !one.description.empty() && one.description != "undefined";
  return has_description ? one.description : one.name;
}

namespace {

struct KnownGroup {
  std::string_view description;
  std::string_view words;
};

// What Megatron and PyTorch's DeviceMesh call the groups of a dimension; every such group has the same
// description.
constexpr std::array<KnownGroup, 24> kKnownGroups = {{
    {"TENSOR_MODEL_PARALLEL_GROUP", "tensor-parallel"},
    {"PIPELINE_MODEL_PARALLEL_GROUP", "pipeline-parallel"},
    {"CONTEXT_PARALLEL_GROUP", "context-parallel"},
    {"DATA_PARALLEL_GROUP", "data-parallel"},
    {"DATA_PARALLEL_GROUP_WITH_CP", "data- and context-parallel"},
    {"TENSOR_AND_DATA_PARALLEL_GROUP", "tensor- and data-parallel"},
    {"TENSOR_AND_CONTEXT_PARALLEL_GROUP", "tensor- and context-parallel"},
    {"TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP", "tensor-, data- and context-parallel"},
    {"MODEL_PARALLEL_GROUP", "model-parallel"},
    {"EXPERT_MODEL_PARALLEL_GROUP", "expert-parallel"},
    {"EXPERT_TENSOR_PARALLEL_GROUP", "expert-tensor-parallel"},
    {"EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", "expert- and tensor-parallel"},
    {"EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", "expert-, tensor- and pipeline-parallel"},
    {"EXPERT_DATA_PARALLEL_GROUP", "expert-data-parallel"},
    {"EMBEDDING_GROUP", "embedding"},
    {"POSITION_EMBEDDING_GROUP", "position-embedding"},
    {"mesh_tp", "tensor-parallel"},
    {"mesh_pp", "pipeline-parallel"},
    {"mesh_cp", "context-parallel"},
    {"mesh_dp", "data-parallel"},
    {"mesh_dp_shard", "sharded data-parallel"},
    {"mesh_dp_replicate", "replicated data-parallel"},
    {"mesh_ep", "expert-parallel"},
    {"mesh_etp", "expert-tensor-parallel"},
}};

}  // namespace

std::string describe(const model::Job& job, model::CommunicatorId communicator) {
  const std::string name = name_of(job, communicator);
  if (communicator == model::CommunicatorId::kNone) return name;
  const auto known = std::ranges::find(kKnownGroups, name, &KnownGroup::description);
  if (known == kKnownGroups.end()) return "group " + name;
  std::vector<int> members = job.communicators[communicator].members;
  std::ranges::sort(members);
  return members.empty() ? fmt::format("{} group {}", known->words, name)
                         : fmt::format("{} group of {}", known->words, ranks_in_words(members));
}

std::string ranks_in_words(const std::vector<int>& ranks) {
  return model::ranks_in_words(ranks);
}

std::optional<model::CodePlace> code_place(const model::Stack& stack, std::vector<int> ranks) {
  const auto own = std::ranges::find_if(
      stack, [](const model::Frame& frame) { return frame.line > 0 && !is_library_frame(frame); });
  if (own == stack.end()) return std::nullopt;
  return model::CodePlace{.file = own->file.substr(own->file.rfind('/') + 1),
                          .line = own->line,
                          .function = own->function,
                          .ranks = std::move(ranks)};
}

void add_place(model::Finding& finding, model::CodePlace place) {
  const auto same = std::ranges::find_if(finding.places, [&](const model::CodePlace& known) {
    return known.file == place.file && known.line == place.line && known.function == place.function;
  });
  if (same == finding.places.end()) return finding.places.push_back(std::move(place));
  std::vector<int> all;
  std::ranges::set_union(same->ranks, place.ranks, std::back_inserter(all));
  same->ranks = std::move(all);
}

const model::Frame* calling_frame(const model::Stack& stack) {
  const auto own = std::ranges::find_if_not(stack, is_library_frame);
  if (own != stack.end()) return &*own;
  return stack.empty() ? nullptr : &stack.front();
}

std::string describe(const model::Stack& stack) {
  constexpr std::size_t kMaxFrames = 3;
  std::string text;
  std::size_t shown = 0;
  const auto add = [&](const model::Frame& frame) {
    if (shown++ >= kMaxFrames) return;
    text += (text.empty() ? "" : " < ") + describe_frame(frame);
  };
  for (const model::Frame& frame : stack) {
    if (!is_library_frame(frame)) add(frame);
  }
  if (shown == 0) std::ranges::for_each(stack, add);
  return text;
}

std::string describe(const model::Job& job, const model::Event& event) {
  std::string text;
  if (event.kind == model::EventKind::kActivity) {
    text = std::string(model::name_of(event.activity));
  } else {
    const Signature signature = signature_of(job, event);
    const bool is_message = event.kind == model::EventKind::kPointToPoint;
    text = signature.name != model::NameId::kNone ? job.names[signature.name]
                                                  : std::string(model::name_of(signature.operation));
    if (is_message && signature.root >= 0) {
      text += fmt::format(" {} {}", signature.operation == model::Operation::kSend ? "to" : "from",
                          signature.root);
    }
    if (!is_message && event.sequence != model::kNoSequence) text += fmt::format(" #{}", event.sequence);
    text += " in " + describe(job, event.communicator);
    const model::Shape* shape = signature.shapes.empty() ? nullptr : &signature.shapes.front();
    if (!signature.types.empty()) text += fmt::format(", {}", model::name_of(signature.types.front()));
    if (shape != nullptr) text += fmt::format(" [{}]", fmt::join(*shape, ", "));
    if (signature.shapes.size() > 1) text += fmt::format(" and {} more tensors", signature.shapes.size() - 1);
  }
  text += fmt::format(": {}", state_in_words(event.state));
  if (event.stack != model::StackId::kNone) {
    const std::string stack = describe(job.stacks[event.stack]);
    if (!stack.empty()) text += fmt::format("; at {}", stack);
  }
  return text;
}

std::string as_sentences(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  bool starts_sentence = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (starts_sentence && text[at] >= 'a' && text[at] <= 'z')
      text[at] = static_cast<char>(text[at] - 'a' + 'A');
    starts_sentence = text[at] == ' ' && at > 0 && text[at - 1] == '.';
  }
  return text;
}

std::string source_name(const model::Job& job, model::SourceId source) {
  const auto index = static_cast<std::size_t>(source);
  return index < job.sources.size() ? job.sources[index] : std::string{};
}

model::Evidence evidence_about(const model::Job& job, const model::RankHistory& history, std::string text,
                               model::EvidenceLevel level) {
  return {.file = history.sources.empty() ? "" : source_name(job, history.sources.front()),
          .line = std::nullopt,
          .rank = history.rank.number,
          .text = std::move(text),
          .level = level};
}

model::Evidence evidence_of(const model::Job& job, EventPlace place) {
  const model::Event& event = event_at(job, place);
  return {.file = source_name(job, event.source),
          .line = event.position == 0 ? std::nullopt : std::optional<std::int64_t>(event.position),
          .rank = job.ranks[place.rank].rank.number,
          .text = describe(job, event)};
}

std::string time_in_words(std::int64_t time_ns) {
  const std::time_t seconds = static_cast<std::time_t>(time_ns / 1'000'000'000);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

}  // namespace lockstep::ranks
