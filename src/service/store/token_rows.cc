#include "service/store/sqlite_store.h"

namespace lockstep::service {
namespace {

Token token_in(const Statement& row) {
  return {.id = row.text(0),
          .hash = row.text(1),
          .owner = row.text(2),
          .may_read = row.number(3) != 0,
          .may_submit = row.number(4) != 0,
          .is_admin = row.number(5) != 0,
          .created_ms = row.number(6),
          .expires_ms = row.number(7)};
}

}  // namespace

Result<void> SqliteStore::add_token(const Token& token) {
  Statement insert = TRY(database_.prepare("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.with(token.id).with(token.hash).with(token.owner);
  for (const bool scope : {token.may_read, token.may_submit, token.is_admin})
    insert.with(std::int64_t{scope});
  return insert.with(token.created_ms).with(token.expires_ms).run();
}

Result<bool> SqliteStore::remove_token(const std::string& id) {
  Statement remove = TRY(database_.prepare("DELETE FROM tokens WHERE id = ? RETURNING id"));
  remove.with(id);
  const bool was_there = TRY(remove.step());
  if (was_there) TRY(remove.step());
  return was_there;
}

Result<std::vector<Token>> SqliteStore::tokens() {
  Statement find = TRY(database_.prepare("SELECT * FROM tokens ORDER BY created_ms, id"));
  std::vector<Token> tokens;
  while (TRY(find.step())) tokens.push_back(token_in(find));
  return tokens;
}

Result<std::optional<Token>> SqliteStore::token_with_hash(const std::string& hash) {
  Statement find = TRY(database_.prepare("SELECT * FROM tokens WHERE hash = ?"));
  find.with(hash);
  if (!TRY(find.step())) return std::optional<Token>();
  return std::optional(token_in(find));
}

}  // namespace lockstep::service
