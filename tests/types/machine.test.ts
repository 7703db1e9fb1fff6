import { expect, test } from "bun:test";
import {
  canMove,
  defineMachine,
  listFinalStates,
  listOrigins,
  listStates,
  type StateOf,
} from "@cardkeep/contract/core/machine";

const door = defineMachine({
  name: "Door",
  initial: "shut",
  states: {
    open: { means: "Anybody may pass" },
    shut: { means: "No one may pass" },
    bricked: { means: "It is a wall now", isFinal: true },
  },
  transitions: [
    { from: "shut", to: "open", when: "a person turns the handle" },
    { from: "open", to: "shut", when: "the wind blows" },
    { from: "open", to: "open", when: "a person pushes it" },
    { from: "any", to: "bricked", when: "the mason comes" },
  ],
});

/** Never called: it only has to compile, and each marked line must not. */
function neverCalled(): void {
  const states = { open: { means: "" }, gone: { means: "", isFinal: true } } as const;
  // @ts-expect-error it begins in a state that is not in its table
  defineMachine({ name: "", initial: "shut", states, transitions: [] });
  // @ts-expect-error it moves to a state that is not in its table
  defineMachine({ name: "", initial: "open", states, transitions: [{ from: "open", to: "shut", when: "" }] });
  // @ts-expect-error it leaves a final state
  defineMachine({ name: "", initial: "open", states, transitions: [{ from: "gone", to: "open", when: "" }] });
  // @ts-expect-error it is asked about a state that is not in its table
  canMove(door, "shut", "ajar");
  // @ts-expect-error a state that is not in the table
  const state: StateOf<typeof door> = "ajar";
  void state;
}

test("a state that is not in a machine's table does not compile", () => {
  expect(neverCalled).toBeFunction();
});

test("a machine allows what its table names, and nothing else", () => {
  expect(listStates(door)).toEqual(["open", "shut", "bricked"]);
  expect(listFinalStates(door)).toEqual(["bricked"]);
  expect(listOrigins(door, "open")).toEqual(["open", "shut"]);
  expect(listOrigins(door, "shut")).toEqual(["open"]);
  expect(listOrigins(door, "bricked")).toEqual(["open", "shut"]);
});
