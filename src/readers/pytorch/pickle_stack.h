// The state of a pickle being run: the stack with its marks, the memo, and the list of entries that is looked
// for.
//
// Entries are given away while their list is still being built: when the next one begins, when they are
// appended or when the bytes end. So the stack never holds more than one, and the store forgets what only it
// used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "readers/pytorch/pickle_literals.h"
#include "readers/pytorch/pickle_opcodes.h"
#include "readers/pytorch/pickle_value.h"

namespace lockstep::readers {

class PickleEntries {
 public:
  virtual ~PickleEntries() = default;
  // The keys and values of one entry, in turn; none when an element of the list is no dict. Containers live
  // until the call returns, or longer where other entries share them. `bytes` are its instructions, where
  // they lie in one piece.
  virtual void take(std::span<const PickleValue> entry, PickleStore& store, std::string_view bytes) = 0;
  // Takes the entry that `bytes` begin with, if it can tell what it is without running it: how long it is, or
  // 0.
  virtual std::size_t take_known(std::string_view bytes) = 0;
  // The memo was changed: what is known from the same bytes no longer holds.
  virtual void forget_known() = 0;
};

enum class PickleStep : std::uint8_t { kNext, kStop, kCut, kDamaged, kRefused, kTooLarge };

class PickleStack {
 public:
  using Values = std::span<const PickleValue>;

  PickleStack(PickleEntries& entries, std::size_t bytes);
  PickleStack(const PickleStack&) = delete;
  PickleStack& operator=(const PickleStack&) = delete;

  PickleStep push(const PickleValue& value) {
    if (top_ == limit_ && !grow()) return PickleStep::kTooLarge;
    *top_++ = value;
    return PickleStep::kNext;
  }
  PickleStep push_copy_of_top();
  PickleStep mark();

  // The values above the last mark, or the last `count`; they stay where they are until the next push. False
  // when there is no mark, or not so many values above it.
  bool pop_to_mark(Values& values) {
    if (marks_.empty()) return false;
    values = {stack_.data() + marks_.back(), top_};
    top_ = stack_.data() + marks_.back();
    marks_.pop_back();
    if (depth() <= entries_at_) entries_at_ = kNowhere;
    return true;
  }
  bool pop(std::size_t count, Values& values);

  PickleStep begin_list();
  // `text` begins at the dict's own instruction.
  PickleStep begin_dict(std::string_view text);
  // An entry that need not be run stands there: how long it is, or 0.
  std::size_t give_known_entry(std::string_view text);
  PickleStep push_made_of(PickleKind kind, Values values);
  // To the list or dict on top of the stack.
  PickleStep append(Values values);
  // `end` is where its instructions end.
  PickleStep append_whole_dict(Values pairs, const char* end);

  PickleStep put(std::size_t index);
  PickleStep put_next() { return put(memo_.size()); }
  PickleStep get(std::size_t index) {
    return index < memo_.size() ? push(memo_[index]) : PickleStep::kDamaged;
  }

  // The memo's values for a run of short GET instructions, half of a dump: `first` stands behind the first of
  // them. Where the run ended.
  const char* get_all(const char* first, const char* end, PickleStep& step) {
    const char* at = first;
    const PickleValue* const memo = memo_.data();
    const std::size_t size = memo_.size();
    step = PickleStep::kCut;
    while (at != end) {
      const auto index = static_cast<std::uint8_t>(*at);
      step = index < size ? push(memo[index]) : PickleStep::kDamaged;
      ++at;
      if (step != PickleStep::kNext || end - at < 2 || *at != static_cast<char>(PickleOpcode::kBinGet)) break;
      ++at;
    }
    return at;
  }

  // The list at `text`, which begins with its own instruction, when it was built before: how long it is
  // there.
  std::size_t push_known_list(std::string_view text);
  // The list that ends there was built now.
  void know_list_until(const char* end) {
    if (literals_.is_awaited(end)) remember_list();
  }

  // Once the bytes have ended: the entry on the stack, if it is whole.
  void give_entry_before_cut();
  // Keys and values of the outermost dict, those included that it has not got yet.
  std::vector<PickleValue> outermost() const;
  PickleStore& store() { return store_; }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  std::size_t depth() const { return static_cast<std::size_t>(top_ - stack_.data()); }
  bool grow();
  void remember_list();
  bool is_place_of_entries() const;
  bool is_place_of_an_entry() const { return entries_at_ != kNowhere && depth() - entries_at_ - 1 <= 1; }
  void give_last_entry();
  void give_entries(Values entries, std::string_view bytes);

  PickleEntries& entries_;
  PickleStore store_;
  std::vector<PickleValue> stack_;
  PickleValue* top_;
  PickleValue* limit_;
  std::vector<std::size_t> marks_;  // depths
  std::vector<PickleValue> memo_;
  PickleLiterals literals_;

  std::size_t entries_at_ = kNowhere;  // where on the stack the list of entries lies
  PickleStore::Mark entry_start_;
  bool is_entry_shared_ = false;              // something may still point into the entry when it is done
  const char* entry_bytes_ = nullptr;         // where the entry on the stack begins
  std::string_view whole_entry_;              // its bytes, once they are all there
  std::uint64_t last_whole_dict_ = kNowhere;  // got all it has by one instruction
};

}  // namespace lockstep::readers
