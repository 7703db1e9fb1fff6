/** Shell commands of a page for people, so that a test runs what the page shows. */
import { join } from "node:path";

const root = new URL("../../", import.meta.url).pathname;

/** The first block of shell commands below a heading of a page. @throws Error without one */
export async function readCommands(page: string, heading: string): Promise<string> {
  const text = await Bun.file(join(root, page)).text();
  const [, section] = text.split(new RegExp(`^#+ ${heading}$`, "m"));
  const [, block] = /```sh\n([^]*?)```/.exec(section ?? "") ?? [];
  if (block === undefined) throw new Error(`${page} shows no commands below ${heading}`);
  return block;
}

/** Runs commands in a shell that stops at the first failure. @throws Error with their output */
export function runCommands(
  commands: string,
  { env, user }: { env: Record<string, string>; user: { uid?: number; gid?: number } },
): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", "-euc", commands], { cwd: "/", env, ...user });
  if (exitCode !== 0) throw new Error(`${commands}\n${stdout}${stderr}`);
}
