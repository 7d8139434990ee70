// The interpreter's inside. Its parts: expansion.cc (nodes to words), arithmetic.cc, conditions.cc,
// statements.cc, builtins.cc. Only they include this.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/interpreter.h"
#include "shell/state.h"
#include "shell/syntax.h"

namespace lockstep::shell {

// kWhole: not quoted, and not split either: what is assigned.
enum class Quoting { kNone, kWhole, kDouble, kHereDocument };

// Puts words together from pieces.
class WordBuilder {
 public:
  explicit WordBuilder(Place place) { current_.place = std::move(place); }

  void add(std::string_view text);           // as it is
  void add_quotes() { has_quotes_ = true; }  // "" is a word, nothing is none
  void add_value(const Word& value);         // quoted: one piece
  void add_split(const Word& value);         // unquoted: at blanks
  void add_items(const std::vector<Word>& items, bool has_more, std::string_view written);  // "${A[@]}"
  std::vector<Word> take();
  bool is_full() const { return words_.size() >= kMaxWordsOfBuilder; }

 private:
  static constexpr std::size_t kMaxWordsOfBuilder = 4096;
  void end_word();
  void add_source(const Word& value);

  Word current_;
  bool has_quotes_ = false;
  std::vector<Word> words_;
};

using Truth = std::optional<bool>;  // nothing: only the running shell knows

class Machine {
 public:
  Machine(const World& world, const Script& script);
  void run(const Script& script);
  WordsByName exported() const;
  std::vector<std::string> line_words(std::string_view line);

 private:
  // expansion.cc
  std::vector<Word> words_of(Node node);
  // Of the child at `at` and those that follow it without a blank; `at` is then behind them.
  std::vector<Word> words_from(Node parent, std::uint32_t& at);
  Word text_of(Node node, Quoting quoting = Quoting::kWhole);  // one word, whatever is in it
  void expand(Node node, Quoting quoting, WordBuilder& into);
  void expand_parts(Node node, Quoting quoting, WordBuilder& into);
  void expand_gap(std::string_view text, Quoting quoting, WordBuilder& into);
  void expand_variable(Node node, Quoting quoting, WordBuilder& into);
  void expand_braced(Node node, Quoting quoting, WordBuilder& into);
  void add_expanded(const Word& value, Quoting quoting, WordBuilder& into);
  Word value_of(std::string_view name, std::string_view written, const Place& place);
  Word braced_value(Node node, const Place& place);
  Word with_operation(Node node, std::size_t after_name, const Variable* variable, const Word& value);
  std::optional<std::vector<Word>> list_named(std::string_view name, bool& has_more);
  Word captured(Node node);  // $(...)
  Place place_of(Node node) const;
  // Open parts of a text that becomes a script again stand as variables in it.
  std::string with_placeholders(std::string_view text);
  std::string without_placeholders(std::string text) const;

  // arithmetic.cc
  std::optional<std::int64_t> arithmetic(std::string_view expression);
  std::optional<std::int64_t> arithmetic_in(Node node);
  friend class Arithmetic;

  // conditions.cc
  Truth truth_of(Node test);  // [ ... ], [[ ... ]]
  Truth truth_of_part(Node node);
  Truth truth_of_words(std::span<const Word> words);  // test ...
  Truth compare(const std::string& operation, const Word& left, const Word& right, bool is_pattern_side);
  Truth ask(const std::string& operation, const Word& operand);

  // statements.cc
  Truth execute(Node node);  // whether it succeeds
  Truth execute_all(Node list);
  Truth execute_range(Node parent, std::uint32_t from, std::uint32_t to);
  Truth execute_list(Node node);
  Truth execute_pipeline(Node node);
  Truth execute_redirected(Node node);
  Truth execute_if(Node node);
  Truth execute_elses(Node node, std::uint32_t from);
  Truth execute_case(Node node);
  Truth execute_for(Node node);
  Truth execute_counted_for(Node node);
  Truth execute_while(Node node);
  Truth execute_command(Node node);
  void execute_background(Node node);
  void run_unknown_rounds(Node body, const std::vector<std::string>& variables);
  void assign(Node node, State& state, bool exports);
  std::vector<Word> array_items(Node array, bool& has_more);
  void run_text(std::string text, const Place& place, bool is_whole_file);
  template <typename One, typename Other>
  void either(One one, Other other);

  // builtins.cc
  std::optional<Truth> builtin(std::vector<Word>& words, const WordsByName& for_it, Node node);
  Truth call_function(Node function, std::span<const Word> words);
  void declare(std::string_view word, Node command);
  void set_exported(const std::string& name);
  Truth read_variables(std::span<const Word> words);
  void source(std::span<const Word> words, const Place& place);
  void print(std::string_view text);
  std::optional<std::string> known_output(std::span<const Word> words);  // of dirname and its like
  void change_options(std::span<const Word> words);
  Truth start(std::vector<Word> words, const WordsByName& for_it, std::optional<std::string> input);

  void note(const Place& place, std::string what);
  bool is_spent();  // counts a step

  const World& world_;
  State state_;
  std::string name_;
  std::deque<std::unique_ptr<Tree>> trees_;
  std::vector<std::string> open_texts_;  // behind placeholders
  std::string* output_ = nullptr;        // where what is printed goes, if it is kept
  int captures_ = 0;                     // $(...) inside each other
  std::optional<std::string> input_;     // of the statement being carried out
  std::vector<int> started_;             // all numbers, in order
  int steps_ = 0;
  int branches_ = 0;
  int depth_ = 0;
  bool is_muted_ = false;  // a trial round of a loop
  bool is_spent_noted_ = false;
};

}  // namespace lockstep::shell
