// Many patterns in one pass, at one edge: vectorscan over memory, without regard to case, `.` never crossing
// a line. Says where a pattern ends, no more; captures are Regex's work on the few lines that matched.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

struct hs_database;
struct hs_scratch;

namespace lockstep::base {

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
  explicit PatternSet(hs_database* database) : database_(database) {}
  std::unique_ptr<hs_database, Free> database_;
};

// One for each thread. The set must outlive it.
class PatternScanner {
 public:
  explicit PatternScanner(const PatternSet& set);

  // `text` up to 4 GiB. `on_match(id, end)`: pattern `id` matched text that ends before offset `end`.
  void scan(std::string_view text, const std::function<void(unsigned id, std::size_t end)>& on_match);

 private:
  struct Free {
    void operator()(hs_scratch* scratch) const;
  };
  const PatternSet* set_;
  std::unique_ptr<hs_scratch, Free> scratch_;
};

}  // namespace lockstep::base
