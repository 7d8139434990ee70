#include "base/text_fields.h"
#include "service/store/sql_store.h"

namespace lockstep::service {
namespace {

Token token_in(const Columns& row) {
  const auto number = [&](std::size_t column) {
    return base::number_in<std::int64_t>(row.at(column)).value_or(0);
  };
  return {.id = row.at(0),
          .hash = row.at(1),
          .owner = row.at(2),
          .may_read = number(3) != 0,
          .may_submit = number(4) != 0,
          .is_admin = number(5) != 0,
          .created_ms = number(6),
          .expires_ms = number(7)};
}

}  // namespace

Result<void> SqlStore::add_token(const Token& token) {
  TRY(database_->run(
      "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      {token.id, token.hash, token.owner, std::int64_t{token.may_read}, std::int64_t{token.may_submit},
       std::int64_t{token.is_admin}, token.created_ms, token.expires_ms}));
  return {};
}

Result<bool> SqlStore::remove_token(const std::string& id) {
  return !TRY(database_->run("DELETE FROM tokens WHERE id = ? RETURNING id", {id})).empty();
}

Result<std::vector<Token>> SqlStore::tokens() {
  std::vector<Token> tokens;
  for (const Columns& row : TRY(database_->run("SELECT * FROM tokens ORDER BY created_ms, id")))
    tokens.push_back(token_in(row));
  return tokens;
}

Result<std::optional<Token>> SqlStore::token_with_hash(const std::string& hash) {
  const Rows found = TRY(database_->run("SELECT * FROM tokens WHERE hash = ?", {hash}));
  if (found.empty()) return std::optional<Token>();
  return std::optional(token_in(found.front()));
}

}  // namespace lockstep::service
