/** Load on the processor beside tests: each loop keeps one core as busy as the machine lets it. */

/**
 * Each round asks whether the run is alive, so the loop also ends with a run that was killed. The run's id is an argument: a
 * shell that starts after the end of its parent has another parent, which never ends.
 */
const loop = 'while kill -0 "$1" 2>/dev/null; do :; done';

/** Starts busy loops, which end when this process ends in any way. */
export function startBusyLoops(count: number): { pids: number[]; stop: () => Promise<void> } {
  const loops = Array.from({ length: count }, () =>
    Bun.spawn(["sh", "-c", loop, "busy", `${process.pid}`], { stdio: ["ignore", "ignore", "ignore"] }),
  );
  const stop = async () => {
    for (const child of loops) child.kill("SIGKILL");
    await Promise.all(loops.map((child) => child.exited));
  };
  return { pids: loops.map(({ pid }) => pid), stop };
}
