#include "base/yaml.h"

#include <charconv>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace lockstep::base {
namespace {

struct Refused {
  int line;
  std::string why;
};

[[noreturn]] void refuse(const YAML::Mark& mark, std::string why) {
  throw Refused{mark.line + 1, std::move(why)};
}

constexpr const char* kPlainTag = "?";  // neither quoted nor of a type that is said

// Builds a value from the parser's events; nothing else of the document is ever in memory.
class TreeBuilder : public YAML::EventHandler {
 public:
  Json take() { return std::move(root_); }
  int begins_at() const { return begins_at_; }

  void OnDocumentStart(const YAML::Mark& mark) override { begins_at_ = mark.pos; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, Json(nullptr)); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!needs_key()) {
      add(mark, anchor, scalar(value, tag == kPlainTag));
      return;
    }
    check_key(mark, open_.back().value, value);
    open_.back().key = value;
    open_.back().has_key = true;
    note_line(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, Json::array());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, Json::object());
  }
  void OnMapEnd() override { close(); }

 protected:
  void add(const YAML::Mark& mark, YAML::anchor_t anchor, Json value) {
    note_line(mark);
    if (anchor != 0) note_anchor(mark, anchor);
    if (anchor != 0) keep_anchored(anchor, value);
    place(std::move(value));
  }

  // Of what is about to be placed.
  std::string path() const {
    std::string text;
    text.reserve(path_bytes());
    for (const Open& level : open_) {
      text += '/';
      text += level.value.is_array() ? std::to_string(level.value.size()) : level.key;
    }
    return text;
  }

  std::size_t path_bytes() const {
    std::size_t bytes = 0;
    for (const Open& level : open_) bytes += 8 + level.key.size();
    return bytes;
  }

 private:
  struct Open {
    Json value;
    YAML::anchor_t anchor = 0;
    std::string key = {};
    bool has_key = false;
  };

  virtual Json scalar(const std::string& value, bool /*is_plain*/) const { return value; }
  virtual void check_key(const YAML::Mark& mark, const Json& parent, const std::string& key) = 0;
  virtual void note_line(const YAML::Mark& mark) = 0;
  virtual void note_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) = 0;
  virtual void keep_anchored(YAML::anchor_t anchor, const Json& value) = 0;
  virtual void set_member(Json& parent, const std::string& key, Json value) = 0;

  bool needs_key() const { return !open_.empty() && open_.back().value.is_object() && !open_.back().has_key; }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Json value) {
    if (anchor != 0) note_anchor(mark, anchor);
    if (open_.size() >= kDeepestJson) refuse(mark, "nested too deeply");
    if (needs_key()) refuse(mark, "a key must be a word");
    note_line(mark);
    open_.push_back({std::move(value), anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) keep_anchored(done.anchor, done.value);
    place(std::move(done.value));
  }

  void place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else {
      set_member(parent.value, parent.key, std::move(value));
      parent.has_key = false;
    }
  }

  Json root_;
  int begins_at_ = -1;
  std::vector<Open> open_;
};

// Our own files: each key once, no anchors.
class StrictBuilder : public TreeBuilder {
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(mark, "aliases are not allowed");
  }
  void check_key(const YAML::Mark& mark, const Json& parent, const std::string& key) override {
    if (parent.contains(key)) refuse(mark, fmt::format("'{}' stands there twice", key));
  }
  void note_line(const YAML::Mark& /*mark*/) override {}
  void note_anchor(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(mark, "anchors are not allowed");
  }
  void keep_anchored(YAML::anchor_t /*anchor*/, const Json& /*value*/) override {}
  void set_member(Json& parent, const std::string& key, Json value) override {
    parent[key] = std::move(value);
  }
};

// YAML 1.2's core schema without its rarer spellings of numbers.
class TypedBuilder : public StrictBuilder {
  Json scalar(const std::string& value, bool is_plain) const override {
    if (!is_plain) return value;
    if (value == "null" || value == "~") return nullptr;
    if (value == "true" || value == "false") return value == "true";
    std::int64_t whole = 0;
    double broken = 0;
    const char* end = value.data() + value.size();
    if (const auto read = std::from_chars(value.data(), end, whole);
        read.ec == std::errc{} && read.ptr == end)
      return whole;
    const bool may_be_number = value.find_first_not_of("+-.0123456789eE") == std::string::npos;
    if (const auto read = std::from_chars(value.data(), end, broken);
        may_be_number && read.ec == std::errc{} && read.ptr == end)
      return broken;
    return value;
  }
};

constexpr std::size_t kMaxAliasedNodes = 100000;

std::size_t nodes_in(const Json& value) {
  std::size_t count = 1;
  if (value.is_structured()) {
    for (const Json& child : value) count += nodes_in(child);
  }
  return count;
}

void merge_into(Json& target, const Json& merged) {
  if (merged.is_array()) {
    for (const Json& one : merged) merge_into(target, one);
  } else if (merged.is_object()) {
    for (const auto& [key, value] : merged.items()) {
      if (!target.contains(key)) target[key] = value;
    }
  }
}

// Others' files: with their lines, and what aliases name in their place.
class DocumentBuilder : public TreeBuilder {
 public:
  YamlDocument take() { return {TreeBuilder::take(), std::move(lines_)}; }

 private:
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end()) refuse(mark, "an alias of what encloses it");
    aliased_nodes_ += nodes_in(named->second);
    if (aliased_nodes_ > kMaxAliasedNodes) refuse(mark, "its aliases stand for too much");
    add(mark, 0, named->second);
  }
  void check_key(const YAML::Mark& /*mark*/, const Json& /*parent*/, const std::string& /*key*/) override {}
  void note_line(const YAML::Mark& mark) override {
    noted_bytes_ += path_bytes();
    if (noted_bytes_ <= kMaxNotedBytes) lines_.try_emplace(path(), mark.line + 1);
  }
  void note_anchor(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void keep_anchored(YAML::anchor_t anchor, const Json& value) override { anchors_[anchor] = value; }
  void set_member(Json& parent, const std::string& key, Json value) override {
    if (key == "<<") {
      merge_into(parent, value);
    } else {
      parent[key] = std::move(value);
    }
  }

  // A key of megabytes would stand in the path of each that lies below it.
  static constexpr std::size_t kMaxNotedBytes = std::size_t{64} << 20;

  std::map<std::string, int> lines_;
  std::size_t noted_bytes_ = 0;
  std::map<YAML::anchor_t, Json> anchors_;
  std::size_t aliased_nodes_ = 0;
};

Error refusal(std::string_view where, int line, const std::string& why) {
  return {"cannot read YAML", fmt::format("{}:{}", where, line), why, ""};
}

template <typename Builder>
Result<Json> first_document(std::string_view text, std::string_view where) {
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    Builder builder;
    parser.HandleNextDocument(builder);
    return builder.take();
  } catch (const Refused& refused) {
    return refusal(where, refused.line, refused.why);
  } catch (const YAML::Exception& fault) {
    return refusal(where, fault.mark.line + 1, fault.msg);
  } catch (const std::exception& fault) {
    return refusal(where, 1, fault.what());
  }
}

}  // namespace

Result<Json> parse_yaml(std::string_view text, std::string_view where) {
  return first_document<StrictBuilder>(text, where);
}

Result<Json> parse_typed_yaml(std::string_view text, std::string_view where) {
  return first_document<TypedBuilder>(text, where);
}

Result<std::vector<YamlDocument>> parse_yaml_documents(std::string_view text, std::string_view where) {
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    std::vector<YamlDocument> documents;
    int last_began_at = -1;
    while (true) {
      DocumentBuilder builder;
      if (!parser.HandleNextDocument(builder)) break;
      // The parser makes an empty document of what it cannot read, again and again from the same place.
      if (builder.begins_at() <= last_began_at) return refusal(where, 1, "text that is not YAML");
      last_began_at = builder.begins_at();
      documents.push_back(builder.take());
    }
    return documents;
  } catch (const Refused& refused) {
    return refusal(where, refused.line, refused.why);
  } catch (const YAML::Exception& fault) {
    return refusal(where, fault.mark.line + 1, fault.msg);
  } catch (const std::exception& fault) {
    return refusal(where, 1, fault.what());
  }
}

}  // namespace lockstep::base
