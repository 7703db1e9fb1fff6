/**
 * The way of one thing through its state machine.
 *
 * - certain: on every way from a beginning to the present state. - history: known from the thing's own history.
 */
import { listStates, type Machine } from "@cardkeep/contract/core/machine";

/** A state that the thing was in, and since when. */
export interface PassedState {
  readonly state: string;
  readonly at: Date | null;
}

/** A move between two named states; its number is its place in the machine's table, from one. */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly number: number;
}

/** Where the thing was for certain, and where it may still go. */
export interface MachineWay {
  readonly passed: ReadonlySet<string>;
  readonly passedMoves: ReadonlySet<number>;
  readonly reachable: ReadonlySet<string>;
  /** Moves out of the present state. */
  readonly next: ReadonlySet<number>;
}

/** Every move of the table, with each state in place of `any`. */
function listMoves(machine: Machine): Move[] {
  const states = listStates(machine);
  const open = states.filter((state) => !machine.states[state]?.isFinal);
  return machine.transitions.flatMap(({ from, to }, index) =>
    (from === "any" ? open : [from]).flatMap((start) =>
      (to === "any" ? states : [to])
        .filter((end) => from !== "any" || end !== start)
        .map((end) => ({ from: start, to: end, number: index + 1 })),
    ),
  );
}

/** The states that moves lead to from some states, those included. */
function reach(moves: readonly Move[], starts: readonly string[]): Set<string> {
  const reached = new Set(starts);
  for (let size = -1; size !== reached.size;) {
    size = reached.size;
    for (const { from, to } of moves) if (reached.has(from)) reached.add(to);
  }
  return reached;
}

/** Of a status that the machine does not have. */
const nowhere: MachineWay = { passed: new Set(), passedMoves: new Set(), reachable: new Set(), next: new Set() };

/** What every way from some states to another one has. */
function findCertain(
  moves: readonly Move[],
  starts: readonly string[],
  end: string,
): Pick<MachineWay, "passed" | "passedMoves"> {
  const isNeeded = (left: readonly Move[], from: readonly string[]): boolean => !reach(left, from).has(end);
  const states = new Set([...starts, ...moves.flatMap(({ from, to }) => [from, to])]);
  const without = (state: string): Move[] => moves.filter(({ from, to }) => from !== state && to !== state);
  const numbers = new Set(moves.map(({ number }) => number));
  return {
    passed: new Set(
      [...states].filter((state) =>
        isNeeded(
          without(state),
          starts.filter((start) => start !== state),
        ),
      ),
    ),
    passedMoves: new Set(
      [...numbers].filter((one) =>
        isNeeded(
          moves.filter(({ number }) => number !== one),
          starts,
        ),
      ),
    ),
  };
}

/**
 * Where a thing in its present state was and may go, by the table and by the states that are known of its history, oldest first. Other
 * states may lie between those.
 */
export function findWay(machine: Machine, current: string, history: readonly PassedState[] = []): MachineWay {
  if (!Object.hasOwn(machine.states, current)) return nowhere;
  const moves = listMoves(machine);
  const line = [...history.map(({ state }) => state), current];
  const parts = line.map((state, index) => {
    const before = line[index - 1];
    const starts = before === undefined ? [machine.initial, ...(machine.begins ?? [])] : [before];
    return findCertain(moves, starts, state);
  });
  const next = moves.filter(({ from }) => from === current);
  return {
    passed: new Set(parts.flatMap(({ passed }) => [...passed])),
    passedMoves: new Set(parts.flatMap(({ passedMoves }) => [...passedMoves])),
    reachable: reach(
      moves,
      next.map(({ to }) => to),
    ),
    next: new Set(next.map(({ number }) => number)),
  };
}
