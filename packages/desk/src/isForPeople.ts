/** What assistants do not get. */
import type { OperatorChange } from "@cardkeep/domain/core/operators/verbs";
import type { NounAct } from "./noun.ts";

/** Nothing undoes an erasure, and the others open a way into an account or out for money: people alone do it. */
const peopleVerbs: readonly OperatorChange[] = [
  "users.add-wallet",
  "users.remove-wallet",
  "users.erase",
  "treasury.allow",
  "treasury.approve",
];

/** An assistant is never the second person, and gets no secret and no file of people's data. */
export const isForPeople = ({ verb, showsSecret, file }: NounAct): boolean =>
  verb.startsWith("approvals.") || peopleVerbs.includes(verb) || showsSecret === true || file !== undefined;
