// What went wrong with a request, in words, and what to do about it.

import { forgetToken, Refusal, setToken, Unreachable } from "../../service/api";
import { h } from "../../ui/dom";

export function trouble(error: unknown): HTMLElement {
  if (error instanceof Unreachable) {
    return h("div", { class: "empty", role: "alert" }, h("h1", {}, "The service does not answer"),
      h("p", {}, "It may have ended. Its jobs run on without it. Start it again with ", h("code", {}, "lockstep serve --page 8080"), " and open the address that it prints; this page tries again by itself meanwhile."));
  }
  if (error instanceof Refusal && error.status === 401) return signIn();
  if (error instanceof Refusal && error.status === 404) {
    return h("div", { class: "empty", role: "alert" }, h("h1", {}, "There is no such job"),
      h("p", {}, "It was deleted, or it belongs to somebody else. ", h("a", { href: "#/jobs" }, "All jobs")));
  }
  return h("div", { class: "empty", role: "alert" }, h("h1", {}, error instanceof Error ? error.message : String(error)), refusalText(error));
}

// One line for beside a button.
export function troubleLine(error: unknown): string {
  if (error instanceof Refusal && error.status === 403) return "Your token does not allow this.";
  if (error instanceof Refusal) return [error.message, error.detail].filter(Boolean).join(": ");
  return error instanceof Error ? `${error.message}.` : String(error);
}

function refusalText(error: unknown): HTMLElement | false {
  if (!(error instanceof Refusal)) return false;
  return h("p", {}, [error.detail, error.hint].filter(Boolean).join(". "));
}

function signIn(): HTMLElement {
  forgetToken();
  const token = h("input", { type: "password", id: "token", autocomplete: "off", required: true, spellcheck: "false" });
  const form = h("form", {},
    h("label", { for: "token" }, "Token"),
    h("div", { class: "controls" }, token, h("button", { type: "submit", class: "main-action" }, "Show the jobs")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setToken(token.value);
    location.reload();
  });
  return h("div", { class: "empty sign-in" }, h("h1", {}, "Who are you?"),
    h("p", {}, "The service does not know you, or not any more: a key ends with the service that made it."),
    h("p", {}, "On this machine, open the address that ", h("code", {}, "lockstep serve --page"), " printed. From elsewhere, paste the token that ", h("code", {}, "lockstep serve --make-token"), " made for you. It stays in this tab and is forgotten with it."),
    form);
}
