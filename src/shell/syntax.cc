#include "shell/syntax.h"

#include "shell/limits.h"

extern "C" const TSLanguage* tree_sitter_bash(void);

namespace lockstep::shell {
namespace {

struct ParserDeleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};

// Nested more deeply than this the tree would be followed only in part; the grammar itself takes any depth.
bool gives_up(TSParseState* state) {
  int& calls = *static_cast<int*>(state->payload);
  return ++calls > kMaxParserCalls;
}

const char* read_text(void* payload, std::uint32_t at, TSPoint /*place*/, std::uint32_t* size) {
  const auto& text = *static_cast<const std::string*>(payload);
  *size = at < text.size() ? static_cast<std::uint32_t>(text.size() - at) : 0;
  return at < text.size() ? text.data() + at : "";
}

}  // namespace

std::string_view Node::kind() const {
  return is_null() ? std::string_view() : std::string_view(ts_node_type(node_));
}

std::string_view Node::text() const {
  return tree_->text().substr(begin(), end() - begin());
}

std::int64_t Node::line() const {
  return tree_->first_line() + ts_node_start_point(node_).row;
}

Node Node::field(std::string_view name) const {
  return {*tree_, ts_node_child_by_field_name(node_, name.data(), static_cast<std::uint32_t>(name.size()))};
}

std::string_view Node::field_of(std::uint32_t child) const {
  const char* const name = ts_node_field_name_for_child(node_, child);
  return name == nullptr ? std::string_view() : std::string_view(name);
}

std::unique_ptr<Tree> Tree::parse(std::string text, std::string file, std::int64_t first_line) {
  if (text.size() > kMaxTextBytes) return nullptr;
  std::unique_ptr<Tree> tree(new Tree);
  tree->text_ = std::move(text);
  tree->file_ = std::move(file);
  tree->first_line_ = first_line;
  const std::unique_ptr<TSParser, ParserDeleter> parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), tree_sitter_bash())) return nullptr;
  int calls = 0;
  const TSInput input{
      .payload = &tree->text_, .read = read_text, .encoding = TSInputEncodingUTF8, .decode = nullptr};
  const TSParseOptions options{.payload = &calls, .progress_callback = gives_up};
  tree->tree_.reset(ts_parser_parse_with_options(parser.get(), nullptr, input, options));
  if (!tree->tree_) return nullptr;
  return tree;
}

}  // namespace lockstep::shell
