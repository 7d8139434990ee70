#include "consistent_histories.h"

#include <algorithm>
#include <iterator>

namespace lockstep::dumps {
namespace {

constexpr FaultKind kAllKinds[] = {FaultKind::kHostStuck,    FaultKind::kDead,    FaultKind::kDeviceStuck,
                                   FaultKind::kDeviceInside, FaultKind::kSkipped, FaultKind::kReordered};

class Histories {
 public:
  Histories(const MeshJob& job, const std::vector<std::optional<Dump>>& dumps, const DumpKind& kind)
      : job_(job), dumps_(dumps), kind_(kind) {
    for (int rank = 0; rank < job.ranks; ++rank) {
      const int end = static_cast<int>(job.programs[static_cast<std::size_t>(rank)].size());
      as_meant_.push_back(issued_under({FaultKind::kHostStuck, rank, end}));
    }
  }

  std::optional<Culprits> run() {
    std::vector<Fault> parts;  // of what two faults may have done together
    for (const Fault& fault : possible_faults()) {
      const Fit fit = fit_of({fault});
      if (fit == Fit::kExact) add({fault});
      if (fit != Fit::kNever) parts.push_back(fault);
    }
    const int least_of_two = 2 + std::max(0, missing_dumps() - 2);
    if (least_cost_ < least_of_two) return std::move(found_);
    if (parts.size() > kMostParts) return std::nullopt;
    for (std::size_t left = 0; left < parts.size(); ++left) {
      for (std::size_t right = left + 1; right < parts.size(); ++right) {
        if (parts[left].rank == parts[right].rank) continue;
        const std::vector<Fault> both = {parts[left], parts[right]};
        if (fit_of(both) == Fit::kExact) add(both);
      }
    }
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kMostParts = 40;
  static constexpr std::size_t kEverything = 1'000'000;

  // Whether a run leaves the dumps that are there; or came further everywhere, so that one more fault may.
  enum class Fit { kNever, kFurther, kExact };

  std::vector<Fault> possible_faults() const {
    std::vector<Fault> faults;
    for (int rank = 0; rank < job_.ranks; ++rank) {
      const Program& program = job_.programs[static_cast<std::size_t>(rank)];
      for (const FaultKind kind : kAllKinds) {
        for (std::size_t place = 0; place < program.size(); ++place) {
          const bool is_for_hosts = kind == FaultKind::kHostStuck || kind == FaultKind::kDead;
          if (program[place].kind == OpKind::kSync && !is_for_hosts) continue;
          const Fault fault{kind, rank, static_cast<int>(place)};
          if (is_allowed_by_its_own_dump(fault)) faults.push_back(fault);
        }
      }
    }
    return faults;
  }

  // By which calls its entries name, and by how many there are.
  bool is_allowed_by_its_own_dump(const Fault& fault) const {
    const std::optional<Dump>& dump = dumps_[static_cast<std::size_t>(fault.rank)];
    if (fault.kind == FaultKind::kDead) return !dump.has_value();
    if (!dump) return true;
    const Dump changed = is_about_order(fault) ? issued_under(fault) : Dump{};
    const std::vector<Entry>& issued =
        is_about_order(fault) ? changed.entries : as_meant_[static_cast<std::size_t>(fault.rank)].entries;
    const std::size_t listed =
        dump->entries.empty() ? 0 : static_cast<std::size_t>(dump->entries.back().record_id) + 1;
    const std::size_t before = records_before(fault);
    if (fault.kind == FaultKind::kHostStuck && (kind_.only_active ? before < listed : before != listed))
      return false;
    const bool is_on_device = fault.kind == FaultKind::kDeviceStuck || fault.kind == FaultKind::kDeviceInside;
    const auto at = std::ranges::find(dump->entries, static_cast<std::int64_t>(before), &Entry::record_id);
    if (is_on_device && (at == dump->entries.end() || at->is_completed)) return false;
    return std::ranges::all_of(dump->entries, [&](const Entry& entry) {
      const auto place = static_cast<std::size_t>(entry.record_id);
      if (place >= issued.size()) return false;
      const Entry& same = issued[place];
      return same.name == entry.name && same.group == entry.group && same.sequence == entry.sequence &&
             same.message_sequence == entry.message_sequence && same.elements == entry.elements;
    });
  }

  static bool is_about_order(const Fault& fault) {
    return fault.kind == FaultKind::kSkipped || fault.kind == FaultKind::kReordered;
  }

  std::size_t records_before(const Fault& fault) const {
    const Program& program = job_.programs[static_cast<std::size_t>(fault.rank)];
    std::size_t count = 0;
    for (int place = 0; place < fault.at; ++place) {
      const Op& op = program[static_cast<std::size_t>(place)];
      if (op.kind != OpKind::kSync) count += op.kind == OpKind::kBatch ? op.messages.size() + 1 : 1;
    }
    return count;
  }

  // What its host would record, if nothing kept it from issuing all of it.
  Dump issued_under(const Fault& fault) const {
    return record(job_, fault.rank, issue_all(job_, fault), DumpKind{.ring = kEverything});
  }

  Fit fit_of(const std::vector<Fault>& faults) const {
    const Execution run = execute(job_, faults);
    if (run.is_finished() || !std::ranges::all_of(run.reached, [](bool reached) { return reached; }))
      return Fit::kNever;
    const std::vector<std::optional<Dump>> left = dumps_of(job_, run, faults, kind_);
    bool is_exact = true;
    for (std::size_t rank = 0; rank < left.size(); ++rank) {
      if (dumps_[rank] && left[rank] != dumps_[rank]) is_exact = false;
    }
    if (is_exact) return Fit::kExact;
    return is_about_order(faults.front()) || came_as_far(faults, run) ? Fit::kFurther : Fit::kNever;
  }

  // One more fault only takes away from what a run does, unless it is about the order of calls.
  bool came_as_far(const std::vector<Fault>& faults, const Execution& run) const {
    const DumpKind whole{.ring = kEverything, .tells_starts = kind_.tells_starts};
    const std::vector<std::optional<Dump>> all = dumps_of(job_, run, faults, whole);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (!dumps_[rank] || !all[rank]) continue;
      for (const Entry& entry : dumps_[rank]->entries) {
        const auto at = static_cast<std::size_t>(entry.record_id);
        if (at >= all[rank]->entries.size()) return false;
        if (entry.is_completed && !all[rank]->entries[at].is_completed) return false;
      }
    }
    return true;
  }

  int missing_dumps() const {
    return static_cast<int>(
        std::ranges::count_if(dumps_, [](const std::optional<Dump>& dump) { return !dump.has_value(); }));
  }

  bool has_unfinished(int rank) const {
    const std::optional<Dump>& dump = dumps_[static_cast<std::size_t>(rank)];
    return dump && std::ranges::any_of(dump->entries, [](const Entry& entry) { return !entry.is_completed; });
  }

  // A dump that is missing is an event of its own, unless its rank is dead.
  int cost_of(const std::vector<Fault>& faults) const {
    const auto dead = std::ranges::count(faults, FaultKind::kDead, &Fault::kind);
    return static_cast<int>(faults.size()) + missing_dumps() - static_cast<int>(dead);
  }

  void add(const std::vector<Fault>& faults) {
    const int cost = cost_of(faults);
    if (cost > least_cost_) return;
    if (cost < least_cost_) found_ = Culprits{};
    least_cost_ = cost;
    std::vector<int> ranks;
    for (const Fault& fault : faults) ranks.push_back(fault.rank);
    std::ranges::sort(ranks);
    found_.sets.insert(ranks);
    // A host that issues nothing while its device waits may wait for it: programs do that anywhere.
    for (const Fault& fault : faults) {
      if (faults.size() < 2 || fault.kind != FaultKind::kHostStuck || !has_unfinished(fault.rank)) continue;
      std::vector<int> others = ranks;
      std::erase(others, fault.rank);
      found_.sets.insert(others);
    }
    for (const Fault& fault : faults) add_those_who_may_be_odd_instead(faults, fault);
  }

  // Calls of two ranks that do not fit say nothing of which of the two is odd: the program is not in the
  // dumps.
  void add_those_who_may_be_odd_instead(const std::vector<Fault>& faults, const Fault& fault) {
    const Program& program = job_.programs[static_cast<std::size_t>(fault.rank)];
    const Op& op = program[static_cast<std::size_t>(fault.at)];
    const bool is_of_a_source = op.kind == OpKind::kBroadcast;  // which the recorder does not write down
    if (!is_about_order(fault) && !is_of_a_source) return;
    std::set<int> others;
    if (is_of_a_source) {
      const std::vector<int>& listeners = job_.groups[static_cast<std::size_t>(op.group)].members;
      others.insert(listeners.begin(), listeners.end());
    }
    for (const Message& message : op.messages) others.insert(message.peer);
    const std::vector<int>& members = job_.groups[static_cast<std::size_t>(op.group)].members;
    if (op.messages.empty() && fault.kind == FaultKind::kSkipped && members.size() == 2)
      others.insert(members.begin(), members.end());
    if (fault.kind == FaultKind::kReordered) {
      const Op& next = program[static_cast<std::size_t>(fault.at) + 1];
      std::set<int> either(members.begin(), members.end());
      const std::vector<int>& of_next = job_.groups[static_cast<std::size_t>(next.group)].members;
      const auto in_both = std::ranges::count_if(of_next, [&](int rank) { return either.contains(rank); });
      either.insert(of_next.begin(), of_next.end());
      if (in_both < 3) others.insert(either.begin(), either.end());
    }
    for (const int other : others) {
      std::vector<int> ranks = {other};
      for (const Fault& one : faults) {
        if (one != fault && one.rank != other) ranks.push_back(one.rank);
      }
      std::ranges::sort(ranks);
      found_.sets.insert(ranks);
      found_.alike.insert(other);
      found_.alike.insert(fault.rank);
    }
  }

  const MeshJob& job_;
  const std::vector<std::optional<Dump>>& dumps_;
  const DumpKind& kind_;
  std::vector<Dump> as_meant_;  // by rank: what it records if nothing is wrong
  int least_cost_ = 1000;
  Culprits found_;
};

}  // namespace

std::vector<int> Culprits::in_all() const {
  std::vector<int> common;
  bool is_first = true;
  for (const std::vector<int>& one : sets) {
    if (is_first) {
      common = one;
      is_first = false;
      continue;
    }
    std::vector<int> both;
    std::ranges::set_intersection(common, one, std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

std::optional<Culprits> consistent_culprits(const MeshJob& job, const std::vector<std::optional<Dump>>& dumps,
                                            const DumpKind& kind) {
  return Histories(job, dumps, kind).run();
}

}  // namespace lockstep::dumps
