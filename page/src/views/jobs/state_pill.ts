// The state of a job, by word and by colour.

import { stateWords, type State } from "../../service/jobs";
import { h } from "../../ui/dom";

export function statePill(state: State, isEnding = false): HTMLElement {
  return h("span", { class: `pill ${state.toLowerCase()}` }, isEnding ? "ending" : stateWords[state]);
}
