/**
 * State machines as data: which states a thing has, and which moves between them are allowed.
 *
 * - machine: states and transitions of one noun; the wire's enum, the database's checks and its updates come from it.
 * - undone: what a reorganisation of the chain may take back; only then does a thing go against its table.
 * - final: a state that nothing leaves. - any: in a transition, every state that is not final.
 */

interface State {
  /** What is true of a thing in this state, in one line. */
  readonly means: string;
  readonly isFinal?: boolean;
}

interface Transition<From extends string, To extends string> {
  readonly from: From | "any";
  readonly to: To | "any";
  /** What makes it move, in one line. */
  readonly when: string;
  /** Present where the operator alone moves it so. */
  readonly by?: "operator";
}

export interface Machine<S extends string = string> {
  /** What the machine is about, as the reference page calls it. */
  readonly name: string;
  /** The state that a thing begins in. */
  readonly initial: S;
  readonly states: Readonly<Record<S, State>>;
  readonly transitions: readonly Transition<S, S>[];
  readonly undone?: readonly Transition<S, S>[];
}

export type StateOf<M extends Machine> = keyof M["states"] & string;

type Open<States> = {
  [S in keyof States & string]: States[S] extends { readonly isFinal: true } ? never : S;
}[keyof States & string];

/** Declares a machine; a state that is not in its table does not compile, nor does a way out of a final one. */
export const defineMachine = <const States extends Readonly<Record<string, State>>>(machine: {
  readonly name: string;
  readonly initial: NoInfer<keyof States & string>;
  readonly states: States;
  readonly transitions: readonly Transition<NoInfer<Open<States>>, NoInfer<keyof States & string>>[];
  readonly undone?: readonly Transition<NoInfer<keyof States & string>, NoInfer<keyof States & string>>[];
}): Machine<keyof States & string> => machine;

/** Every state, in the order of the table. */
export const listStates = <S extends string>(machine: Machine<S>): S[] =>
  // The keys of a literal are exactly its type's.
  Object.keys(machine.states) as S[];

/** The states that nothing leaves. */
export const listFinalStates = <S extends string>(machine: Machine<S>): S[] =>
  listStates(machine).filter((state) => machine.states[state].isFinal);

type Mover = "operator" | "anyone";

/** Whether the table has a transition between two states; staying is one only where the table names it. */
export const canMove = <S extends string>(machine: Machine<S>, from: S, to: S, by: Mover = "operator"): boolean =>
  machine.transitions.some(
    (transition) =>
      (by === "operator" || transition.by === undefined) &&
      (transition.from === from || (transition.from === "any" && from !== to && !machine.states[from].isFinal)) &&
      (transition.to === to || (transition.to === "any" && from !== to)),
  );

/** The states from which a thing may move to `to`; what the operator alone may do is left out unless it is the operator. */
export const listOrigins = <S extends string>(machine: Machine<S>, to: S, by: Mover = "anyone"): S[] =>
  listStates(machine).filter((from) => canMove(machine, from, to, by));

/** The states from which a reorganisation may take a thing back to `to`. */
export const listUndoOrigins = <S extends string>(machine: Machine<S>, to: S): S[] =>
  listStates(machine).filter((from) => machine.undone?.some((move) => move.from === from && move.to === to));
