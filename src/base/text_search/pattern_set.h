// Many patterns in one pass, at one edge: vectorscan over memory, without regard to case, `.` never crossing
// a line. Says where a pattern ends, no more; captures are Regex's work on the few lines that matched.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

struct hs_database;
struct hs_scratch;

namespace lockstep::base {

// The room one scanner works in. It takes longer to make than a small text to scan, so a set keeps it for the
// next scanner.
struct FreeScratch {
  void operator()(hs_scratch* scratch) const;
};
using Scratch = std::unique_ptr<hs_scratch, FreeScratch>;

struct PatternText {
  std::string regex;
  bool first_only = false;  // report only the first match of each scanned piece
};

class PatternSet {
 public:
  // The id of a pattern is its place in `patterns`.
  static Result<PatternSet> compile(std::span<const PatternText> patterns);

  // What to_bytes() made, on this machine's kind of processor; nullopt elsewhere, and then compile() is the
  // way.
  static std::optional<PatternSet> from_bytes(std::string_view bytes);
  std::string to_bytes() const;

 private:
  friend class PatternScanner;
  struct Free {
    void operator()(hs_database* database) const;
  };
  struct Idle {
    std::mutex mutex;
    std::vector<Scratch> scratches;  // guarded
  };
  explicit PatternSet(hs_database* database) : database_(database), idle_(std::make_unique<Idle>()) {}
  Scratch take_scratch() const;
  void give_back(Scratch scratch) const;

  std::unique_ptr<hs_database, Free> database_;
  std::unique_ptr<Idle> idle_;
};

// One for each thread. The set must outlive it.
class PatternScanner {
 public:
  using OnMatch = std::function<void(unsigned id, std::size_t end)>;

  explicit PatternScanner(const PatternSet& set) : set_(&set), scratch_(set.take_scratch()) {}
  ~PatternScanner() { set_->give_back(std::move(scratch_)); }
  PatternScanner(const PatternScanner&) = delete;
  PatternScanner& operator=(const PatternScanner&) = delete;

  // `text` up to 4 GiB. `on_match(id, end)`: pattern `id` matched text that ends before offset `end`.
  // One that is first_only may be told twice: before the tail of `text` and in it.
  void scan(std::string_view text, const OnMatch& on_match);
  // The same in one look, for text of the caller's own: it grows by lines that match nothing.
  void scan_growing(std::string& text, const OnMatch& on_match);

 private:
  void scan_bytes(std::string_view bytes, const OnMatch& on_match);
  void scan_tail(std::string_view text, std::size_t from, const OnMatch& on_match);

  const PatternSet* set_;
  Scratch scratch_;
  std::string padded_tail_;
};

}  // namespace lockstep::base
