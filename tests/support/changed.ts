/** The test files that a change can reach: by imports, by names of files in strings, and by the programs that tests start. */
import { dirname, join, normalize } from "node:path";

const root = new URL("../..", import.meta.url).pathname;
const folders = "{apps,packages,tests}/**/*.{ts,json,md}";

/** Files that start programs by other means than their path. */
const started: Readonly<Record<string, readonly string[]>> = {
  "tests/support/bundles.ts": ["server", "worker", "cli"].map((app) => `apps/${app}/src/main.ts`),
};

/** A path in a string: relative, of a package of ours, or from the root. */
const named = /["'`](\.{1,2}\/[^"'`\s]+|@cardkeep\/[^"'`\s]+|(?:apps|packages|tests)\/[^"'`\s]+)["'`]/g;

const isTest = (path: string): boolean => path.endsWith(".test.ts");

/** The files that the text of a file names, of those that there are. */
function listNamed(path: string, text: string, files: ReadonlySet<string>): string[] {
  const found = [...text.matchAll(named)].flatMap(([, name = ""]) => {
    if (name.startsWith(".")) return [normalize(join(dirname(path), name))];
    const [, workspace, rest] = /^@cardkeep\/([^/]+)\/(.+)$/.exec(name) ?? [];
    if (workspace === undefined) return [name];
    return ["apps", "packages"].map((place) => `${place}/${workspace}/src/${rest}.ts`);
  });
  return [...found, ...(started[path] ?? [])].filter((each) => files.has(each));
}

/**
 * The test files that the changed files can reach, in order. A document reaches the tests of `tests/contract`. A file that no other one
 * names, as a migration or a manifest, reaches all tests.
 *
 * @param changed paths from the root; one that was deleted reaches what names it
 * @param sources every file of apps, packages and tests with its text
 */
export function listReached(changed: readonly string[], sources: ReadonlyMap<string, string>): string[] {
  const files = new Set([...sources.keys(), ...changed]);
  const users = new Map<string, string[]>();
  for (const [path, text] of sources)
    for (const target of listNamed(path, text, files)) users.set(target, [...(users.get(target) ?? []), path]);
  const tests = [...sources.keys()].filter(isTest).toSorted();
  const reached = new Set(changed);
  for (const path of changed) {
    if (path.endsWith(".md")) for (const test of tests) if (test.startsWith("tests/contract/")) reached.add(test);
    if (!path.endsWith(".md") && !isTest(path) && !users.has(path)) return tests;
  }
  for (const path of reached) for (const user of users.get(path) ?? []) reached.add(user);
  return tests.filter((test) => reached.has(test));
}

/** Every file of apps, packages and tests that the rules above read. */
export async function readSources(): Promise<Map<string, string>> {
  const paths = [...new Bun.Glob(folders).scanSync({ cwd: root })].filter((path) => !path.includes("node_modules/"));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await Bun.file(join(root, path)).text()] as const)),
  );
}

/**
 * The paths that differ from a revision, those that git does not know yet included.
 * @throws Error with git's words where there is no such revision
 */
export function listChanged(base: string): string[] {
  const ask = (...words: string[]): string[] => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...words], { cwd: root });
    if (exitCode !== 0) throw new Error(`--base ${base}: ${stderr.toString().trim()}`);
    return stdout.toString().split("\n").filter(Boolean);
  };
  return [...ask("diff", "--name-only", base, "--"), ...ask("ls-files", "--others", "--exclude-standard")];
}
