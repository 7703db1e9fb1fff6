/** Kills a process with SIGKILL at one of its steps: before the other side has the step, or once the other side has it. */
export interface Trap {
  /** Kills at the step with this number; each step has two, before and after. */
  arm(at: number): void;
  readonly isSprung: boolean;
  /** Passes a step on. Null: the process was killed before. */
  pass<T>(forward: () => Promise<T>): Promise<T | null>;
}

export function setTrap(kill: () => void): Trap {
  let left = -1;
  let isSprung = false;
  /** Counts one moment, and kills at the armed one. */
  const reach = (): boolean => {
    const isIt = left === 0;
    left -= 1;
    if (isIt) {
      isSprung = true;
      kill();
    }
    return isIt;
  };
  return {
    arm: (at) => {
      left = at;
      isSprung = false;
    },
    get isSprung() {
      return isSprung;
    },
    pass: async (forward) => {
      if (reach()) return null;
      const answer = await forward();
      return reach() ? null : answer;
    },
  };
}
