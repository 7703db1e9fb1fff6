/** What takes long, shown on a terminal while it lasts. */
import { renderActivity } from "./progressText.ts";

/** Nothing of it is shown where the stream is no terminal, except for printed lines. */
export interface Progress {
  /** Names what starts now, in place of what was shown before. `total` is its number of steps, if that is known. */
  begin(what: string, total?: number): void;
  /** Says how much of it is done, of how many, and what comes next if that has another name. */
  count(done: number, total: number, what?: string): void;
  /** Prints a line; what is under way stays below it. */
  print(line: string): void;
  /** Clears what is shown. */
  end(): void;
}

interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface Streams {
  /** Where printed lines go. */
  readonly lines: Stream;
  /** Where the activity is shown, if this is a terminal; null for nowhere. */
  readonly activity: Stream | null;
}

const clearLine = "\r\u001B[K";
const redrawMs = 100;
const widthDefault = 80;

/** An activity that ends within `delayMs` is never shown. Both streams may be the same terminal. */
export function createProgress({ lines, activity }: Streams, { delayMs = 0 }: { delayMs?: number } = {}): Progress {
  let current: { what: string; count: { done: number; total: number } | null; since: number } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isShown = false;
  const terminal = activity?.isTTY ? activity : null;

  const clear = (): void => {
    if (isShown) terminal?.write(clearLine);
    isShown = false;
  };
  const draw = (): void => {
    if (current === null || terminal === null) return;
    const elapsedMs = performance.now() - current.since;
    if (elapsedMs < delayMs) return;
    terminal.write(`${clearLine}${renderActivity({ ...current, elapsedMs }, terminal.columns || widthDefault)}`);
    isShown = true;
  };
  const end = (): void => {
    if (timer !== null) clearInterval(timer);
    [timer, current] = [null, null];
    clear();
  };

  return {
    begin: (what, total) => {
      current = { what, count: total === undefined ? null : { done: 0, total }, since: performance.now() };
      // It never keeps the process alive.
      if (terminal !== null) timer ??= setInterval(draw, redrawMs).unref();
      draw();
    },
    count: (done, total, what) => {
      if (current !== null) current = { ...current, what: what ?? current.what, count: { done, total } };
    },
    print: (line) => {
      clear();
      lines.write(`${line}\n`);
      draw();
    },
    end,
  };
}

/** Shows nothing and prints nothing. */
export const noProgress: Progress = { begin() {}, count() {}, print() {}, end() {} };
