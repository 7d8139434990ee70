#include "readers/pytorch/pickle_stack.h"

#include <utility>

namespace lockstep::readers {
namespace {

constexpr std::size_t kFirstDepth = 1024;
constexpr std::size_t kDeepestNesting = 1000;
constexpr std::size_t kMaxOnStack = std::size_t{1} << 22;
constexpr std::size_t kMaxMemo = std::size_t{1} << 23;

}  // namespace

PickleStack::PickleStack(PickleEntries& entries, std::size_t bytes)
    : entries_(entries),
      store_(bytes),
      stack_(kFirstDepth),
      top_(stack_.data()),
      limit_(stack_.data() + stack_.size()) {
  memo_.reserve(256);
}

bool PickleStack::grow() {
  if (stack_.size() >= kMaxOnStack) return false;
  const std::size_t before = depth();
  stack_.resize(stack_.size() * 2);
  top_ = stack_.data() + before;
  limit_ = stack_.data() + stack_.size();
  return true;
}

PickleStep PickleStack::push_copy_of_top() {
  return depth() > 0 ? push(PickleValue(top_[-1])) : PickleStep::kDamaged;
}

PickleStep PickleStack::mark() {
  if (marks_.size() >= kDeepestNesting) return PickleStep::kTooLarge;
  marks_.push_back(depth());
  return PickleStep::kNext;
}

bool PickleStack::pop(std::size_t count, Values& values) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (depth() < floor + count) return false;
  top_ -= count;
  values = {top_, count};
  if (depth() <= entries_at_) entries_at_ = kNowhere;
  return true;
}

// The outermost object, or what stands behind the key "entries" in the outermost dict.
bool PickleStack::is_place_of_entries() const {
  if (entries_at_ != kNowhere) return false;
  if (depth() == 0) return true;
  return top_[-1].word == Word::kEntries && stack_.front().kind == PickleKind::kDict && marks_.size() <= 1 &&
         (marks_.empty() || marks_.front() == 1);
}

PickleStep PickleStack::begin_list() {
  if (is_place_of_entries()) {
    entries_at_ = depth();
    entry_start_ = store_.mark();
    is_entry_shared_ = false;
    entry_start_.containers += 1;  // the list itself stays
  }
  return push_made_of(PickleKind::kList, {});
}

PickleStep PickleStack::begin_dict(std::string_view text) {
  if (is_place_of_an_entry()) {
    give_last_entry();
    entry_bytes_ = text.data();
    whole_entry_ = {};
  }
  return push_made_of(PickleKind::kDict, {});
}

std::size_t PickleStack::give_known_entry(std::string_view text) {
  if (!is_place_of_an_entry()) return 0;
  give_last_entry();
  return entries_.take_known(text);
}

void PickleStack::give_last_entry() {
  if (depth() == entries_at_ + 2) give_entries({--top_, 1}, std::exchange(whole_entry_, {}));
}

PickleStep PickleStack::push_made_of(PickleKind kind, Values values) {
  if (store_.is_full()) return PickleStep::kTooLarge;
  return push(PickleValue::of_container(kind, store_.add(values)));
}

PickleStep PickleStack::append(Values values) {
  if (depth() == 0 || !top_[-1].is_container() || store_.is_full()) return PickleStep::kDamaged;
  if (entries_at_ != kNowhere && depth() == entries_at_ + 1) {
    give_entries(values, std::exchange(whole_entry_, {}));
    return PickleStep::kNext;
  }
  PickleValue& top = top_[-1];
  if (top.container < entry_start_.containers) {
    is_entry_shared_ = true;
    // Others may have the same list, and must not grow with it.
    if (top.kind == PickleKind::kList) top.container = store_.add_copy_of(top.container);
  }
  store_.append(top.container, values);
  return PickleStep::kNext;
}

PickleStep PickleStack::append_whole_dict(Values pairs, const char* end) {
  if (depth() > 0 && top_[-1].kind == PickleKind::kDict) last_whole_dict_ = top_[-1].container;
  if (entries_at_ != kNowhere && depth() == entries_at_ + 2)
    whole_entry_ = {entry_bytes_, static_cast<std::size_t>(end - entry_bytes_)};
  return append(pairs);
}

PickleStep PickleStack::put(std::size_t index) {
  // Every writer numbers in order; a number far ahead would only make the memo large.
  if (depth() == 0 || index > memo_.size()) return PickleStep::kDamaged;
  if (memo_.size() >= kMaxMemo) return PickleStep::kTooLarge;
  if (index == memo_.size()) {
    memo_.emplace_back();
  } else {
    literals_.forget_all();
    entries_.forget_known();
  }
  memo_[index] = top_[-1];
  if (top_[-1].is_container()) is_entry_shared_ = true;
  return PickleStep::kNext;
}

std::size_t PickleStack::push_known_list(std::string_view text) {
  const PickleLiterals::Found found = literals_.find(text);
  if (found.container == PickleLiterals::kNew) return 0;
  return push(PickleValue::of_container(PickleKind::kList, found.container)) == PickleStep::kNext ? found.size
                                                                                                  : 0;
}

void PickleStack::remember_list() {
  if (depth() == 0 || top_[-1].kind != PickleKind::kList) return;
  literals_.built(static_cast<std::uint32_t>(top_[-1].container));
  is_entry_shared_ = true;
}

void PickleStack::give_entries(Values entries, std::string_view bytes) {
  for (const PickleValue& entry : entries) {
    const bool is_dict = entry.kind == PickleKind::kDict;
    entries_.take(is_dict ? store_.values(entry.container) : Values(), store_,
                  entries.size() == 1 ? bytes : std::string_view());
  }
  if (!is_entry_shared_) store_.drop_since(entry_start_);
  entry_start_ = store_.mark();
  is_entry_shared_ = false;
}

void PickleStack::give_entry_before_cut() {
  if (entries_at_ == kNowhere || depth() != entries_at_ + 2) return;
  const bool is_whole = top_[-1].kind == PickleKind::kDict && top_[-1].container == last_whole_dict_;
  if (is_whole) give_last_entry();
}

std::vector<PickleValue> PickleStack::outermost() const {
  if (depth() == 0 || stack_.front().kind != PickleKind::kDict) return {};
  const Values built = store_.values(stack_.front().container);
  std::vector<PickleValue> pairs(built.begin(), built.end());
  const std::size_t end = marks_.size() > 1 ? marks_[1] : depth();
  for (std::size_t at = 1; at < end; ++at) pairs.push_back(stack_[at]);
  if (pairs.size() % 2 != 0) pairs.pop_back();
  return pairs;
}

}  // namespace lockstep::readers
