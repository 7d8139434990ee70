// The grammar's tree of a script. The only place that knows tree-sitter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tree_sitter/api.h>

namespace lockstep::shell {

class Tree;

// A piece of a tree; valid as long as the tree is.
class Node {
 public:
  std::string_view kind() const;
  std::string_view text() const;
  std::int64_t line() const;  // in the file
  std::size_t begin() const { return ts_node_start_byte(node_); }
  std::size_t end() const { return ts_node_end_byte(node_); }
  bool is(std::string_view name) const { return kind() == name; }
  bool is_named() const { return ts_node_is_named(node_); }
  bool is_null() const { return ts_node_is_null(node_); }
  bool has_error() const { return ts_node_has_error(node_); }

  std::uint32_t size() const { return ts_node_child_count(node_); }
  Node operator[](std::uint32_t child) const { return {*tree_, ts_node_child(node_, child)}; }
  Node field(std::string_view name) const;  // null where there is none
  std::string_view field_of(std::uint32_t child) const;
  const Tree& tree() const { return *tree_; }

 private:
  friend class Tree;
  Node(const Tree& tree, TSNode node) : tree_(&tree), node_(node) {}

  const Tree* tree_;
  TSNode node_;
};

class Tree {
 public:
  // Null: the grammar gave up on it. `file` and `first_line` say where the text stands.
  static std::unique_ptr<Tree> parse(std::string text, std::string file, std::int64_t first_line);

  Node root() const { return {*this, ts_tree_root_node(tree_.get())}; }
  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }
  std::int64_t first_line() const { return first_line_; }

 private:
  struct Deleter {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  Tree() = default;

  std::string text_;
  std::string file_;
  std::int64_t first_line_ = 1;
  std::unique_ptr<TSTree, Deleter> tree_;
};

}  // namespace lockstep::shell
