const stopMsMax = 8_000;

/**
 * Stops a child that outlived the process which started it, and waits for its end.
 *
 * `marker` is a text that only that child has in its command line: a number that means another process by now is left alone.
 *
 * @throws Error when it does not end
 */
export async function stopOrphan(input: { pid: number; marker: string; signal: NodeJS.Signals }): Promise<void> {
  if (!isRunning(input)) return;
  process.kill(input.pid, input.signal);
  const deadline = Date.now() + stopMsMax;
  while (isRunning(input)) {
    if (Date.now() > deadline) throw new Error(`Process ${input.pid} of an earlier start does not end: stop it`);
    await Bun.sleep(20);
  }
}

function isRunning({ pid, marker }: { pid: number; marker: string }): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=,args=", "-p", String(pid)]);
  const [state, ...args] = stdout.toString().trim().split(/\s+/);
  return state !== undefined && !state.startsWith("Z") && args.join(" ").includes(marker);
}
