/** `bun run check`: everything that can be told without running the program, side by side, in seconds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Finding {
  isGood: boolean;
  text: string;
}

const root = new URL("..", import.meta.url).pathname;

/** Runs one of the installed tools; what it says counts only when it fails. */
async function run(...command: [string, ...string[]]): Promise<Finding> {
  const child = Bun.spawn(command, { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, ...texts] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { isGood: code === 0, text: texts.join("") };
}

const tool = (name: string): string => join(root, "node_modules/.bin", name);

/** A lock file made through a mirror would name it, and send everybody there. */
function checkLockFile(): Finding {
  const lines = readFileSync(join(root, "bun.lock"), "utf8").split("\n");
  const hosts = lines.flatMap((line, index) =>
    /"https?:\/\//.test(line) ? [`bun.lock:${index + 1}: ${line.trim()}`] : [],
  );
  return { isGood: hosts.length === 0, text: hosts.join("\n") };
}

const checks: Readonly<Record<string, () => Finding | Promise<Finding>>> = {
  types: () => run(tool("tsc"), "--noEmit", "-p", "."),
  lint: () => run(tool("oxlint"), "--deny-warnings"),
  architecture: () => run(process.execPath, "test", "tests/architecture"),
  "unused code": () => run(tool("knip"), "--no-config-hints"),
  "lock file": checkLockFile,
};

const findings = await Promise.all(
  Object.entries(checks).map(async ([name, check]) => {
    const startedAt = performance.now();
    const { isGood, text } = await check();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(isGood ? `✓ ${name}  ${seconds} s\n` : `✗ ${name}  ${seconds} s\n${text.trim()}\n`);
    return isGood;
  }),
);
process.exit(findings.every(Boolean) ? 0 : 1);
