/** Runs a command to its end, and returns what it printed. @throws Error with its whole output where it fails */
export async function runCommand(
  command: string[],
  { cwd, env = process.env }: { cwd: string; env?: Readonly<Record<string, string | undefined>> },
): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${out}${err}`);
  return out;
}
