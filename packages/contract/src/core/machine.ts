/**
 * State machines as data: the states of a thing, and the moves between them.
 *
 * - machine: states and transitions of one noun. The wire's enum, the database's checks and its updates come from it.
 * - undone: moves that a reorganisation of the chain undoes. Only these go against the table.
 * - final: a state without a way out.
 * - any: in a transition, every state that is not final.
 */
import { keysOf } from "./keysOf.ts";

/** How a state is shown to operators: it is well, it goes on by itself or waits for a person, or it went wrong. */
export const stateTones = ["good", "waiting", "bad"] as const;
export type StateTone = (typeof stateTones)[number];

interface State {
  /** The meaning of this state, in one line. */
  readonly means: string;
  /** Absent: it is neither. */
  readonly tone?: StateTone;
  readonly isFinal?: boolean;
}

interface Transition<From extends string, To extends string> {
  readonly from: From | "any";
  readonly to: To | "any";
  /** The cause of the move, in one line. */
  readonly when: string;
  /** Present if only the operator makes this move. */
  readonly by?: "operator";
}

export interface Machine<S extends string = string> {
  /** The name of the machine on the reference page. */
  readonly name: string;
  /** The first state. */
  readonly initial: S;
  /** Further states in which a row may begin, because its first move is in the same commit. */
  readonly begins?: readonly S[];
  readonly states: Readonly<Record<S, State>>;
  readonly transitions: readonly Transition<S, S>[];
  readonly undone?: readonly Transition<S, S>[];
}

export type StateOf<M extends Machine> = keyof M["states"] & string;

type Open<States> = {
  [S in keyof States & string]: States[S] extends { readonly isFinal: true } ? never : S;
}[keyof States & string];

/** Declares a machine. An unknown state does not compile, nor does a way out of a final one. */
export const defineMachine = <const States extends Readonly<Record<string, State>>>(machine: {
  readonly name: string;
  readonly initial: NoInfer<keyof States & string>;
  readonly begins?: readonly NoInfer<keyof States & string>[];
  readonly states: States;
  readonly transitions: readonly Transition<NoInfer<Open<States>>, NoInfer<keyof States & string>>[];
  readonly undone?: readonly Transition<NoInfer<keyof States & string>, NoInfer<keyof States & string>>[];
}): Machine<keyof States & string> => machine;

/** Every state, in the order of the table. */
export const listStates = <S extends string>(machine: Machine<S>): S[] =>
  // The keys of a literal are exactly those of its type.
  keysOf(machine.states);

/** The states without a way out. */
export const listFinalStates = <S extends string>(machine: Machine<S>): S[] =>
  listStates(machine).filter((state) => machine.states[state].isFinal);

/** Whether a state is one of them; false for a state of a newer release, which this machine does not know. */
export const isFinalState = <S extends string>(machine: Machine<S>, state: S): boolean =>
  listFinalStates(machine).includes(state);

type Mover = "operator" | "anyone";

/** Whether the table has a transition between two states. To stay is a transition only if the table names it. */
export const canMove = <S extends string>(machine: Machine<S>, from: S, to: S, by: Mover = "operator"): boolean =>
  machine.transitions.some(
    (transition) =>
      (by === "operator" || transition.by === undefined) &&
      (transition.from === from || (transition.from === "any" && from !== to && !machine.states[from].isFinal)) &&
      (transition.to === to || (transition.to === "any" && from !== to)),
  );

/** The states from which a thing may move to `to`. The operator's own moves count only for the operator. */
export const listOrigins = <S extends string>(machine: Machine<S>, to: S, by: Mover = "anyone"): S[] =>
  listStates(machine).filter((from) => canMove(machine, from, to, by));

/** The states from which a reorganisation may move a thing back to `to`. */
export const listUndoOrigins = <S extends string>(machine: Machine<S>, to: S): S[] =>
  listStates(machine).filter((from) => machine.undone?.some((move) => move.from === from && move.to === to));
