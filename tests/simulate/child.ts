/** Plays a plan in a process of its own. */
import { fileURLToPath } from "node:url";
import { getServerUrl, serverVariable } from "../support/postgres.ts";

export interface Said {
  readonly digest: string;
  readonly steps: number;
  readonly acts: number;
  readonly broken: readonly string[];
}

/** No play of a seed takes so long, also on a busy machine. */
const playMsMax = 1_800_000;

/** @param options as `main.ts` takes them */
export async function playApart(options: readonly string[]): Promise<Said> {
  const child = Bun.spawn([process.execPath, "tests/simulate/main.ts", ...options, "--json"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, [serverVariable]: await getServerUrl() },
    stdout: "pipe",
    stderr: "ignore",
    timeout: playMsMax,
  });
  const said = await new Response(child.stdout).text();
  const lines = said.trim().split("\n");
  const last = lines.at(-1) ?? "";
  if (last.startsWith("{")) return { ...JSON.parse(last), acts: parseInt(lines.at(-2) ?? "0", 10) };
  return { digest: "", steps: 0, acts: 0, broken: [`it ended with ${await child.exited}`] };
}
