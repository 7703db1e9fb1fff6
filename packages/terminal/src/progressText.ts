/** The line of a terminal that says what the program does now. */

/** What is under way. */
export interface Activity {
  readonly what: string;
  /** What is done, of how many; null while the number is unknown. */
  readonly count: { readonly done: number; readonly total: number } | null;
  readonly elapsedMs: number;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const frameMs = 100;
const barWidth = 20;

function renderBar({ done, total }: { done: number; total: number }): string {
  const filled = total <= 0 ? 0 : Math.min(barWidth, Math.floor((done / total) * barWidth));
  return `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} ${done}/${total}`;
}

/** A bar with its count where the number is known, else a turning sign; then what it is and its seconds. Fits `width`. */
export function renderActivity({ what, count, elapsedMs }: Activity, width: number): string {
  const sign = count === null ? (frames[Math.floor(elapsedMs / frameMs) % frames.length] ?? "") : renderBar(count);
  const seconds = `${Math.floor(elapsedMs / 1000)} s`;
  const room = Math.max(0, width - sign.length - seconds.length - 4);
  const text = what.length <= room ? what : `${what.slice(0, Math.max(0, room - 1))}…`;
  return `${sign} ${text}  ${seconds}`;
}
