import { beforeAll, describe, expect, test } from "bun:test";
import { nouns } from "@cardkeep/cli/nouns";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { cardCaseKindNames } from "@cardkeep/contract/spending/cardCases";
import * as tables from "@cardkeep/db/schema/tables";
import { serviceRoleDefault } from "@cardkeep/db/serviceRole";
import { environment } from "@cardkeep/runtime/environment";
import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildHaproxyFile } from "../ha/topology.ts";
import { listLongSentences, listUnnamedSubjects } from "../support/prose.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import dashboard from "../../packages/runtime/grafana.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };

const root = new URL("../../", import.meta.url).pathname;
const read = (path: string): Promise<string> => Bun.file(join(root, path)).text();
const places = [
  "README.md",
  "{packages,apps,tests}/README.md",
  "{packages,apps,tests}/*/{README,RUNBOOK}.md",
  ".github/*.md",
];
const paths = places.flatMap((place) => [...new Bun.Glob(place).scanSync({ cwd: root, dot: true })]).toSorted();
const documents = await Promise.all(paths.map(async (path) => ({ path, text: await read(path) })));
const readme = await read("README.md");

/** Matches of a pattern's first group in every document, as `path: match`, without the right ones. */
const listWrong = (pattern: RegExp, isRight: (match: string, path: string) => boolean): string[] =>
  documents.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .map((match) => match[1] ?? "")
      .filter((match) => !isRight(match, path))
      .map((match) => `${path}: ${match}`),
  );

/** The part of a document from one heading to the next of its level. */
function sectionOf(text: string, heading: string): string {
  const [, section] = text.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`There is no section ${heading}`);
  return section.split("\n## ")[0] ?? "";
}

let service: RunningService;
beforeAll(async () => {
  service = await shareService({ worker: false });
});

describe("the README", () => {
  test("shows a client example that runs", async () => {
    const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    const script = `${example.replace("http://localhost:3000", service.url)}\nconsole.log(nonce.length, terms.length);`;
    const child = Bun.spawn([process.execPath, "-e", script], { cwd: join(root, "tests"), stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toBe("32 5\n");
  });

  test("has at most 150 lines, the start and the test among them", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
    expect(readme).toContain("```sh\nbun start\n```");
    expect(readme).toContain("```sh\nbun run test\n```");
  });

  test("shows every command, in the promised order", () => {
    const rows = [...sectionOf(readme, "Commands").matchAll(/^\| (`bun [^|]*) \|/gm)].map((match) => match[1] ?? "");
    const shown = rows.flatMap((row) => [...row.matchAll(/`bun (?:run )?([a-z:]+)/g)].map((match) => match[1] ?? ""));
    const first = ["start", "test", "demo", "server", "worker", "migrate", "cardkeep", "check", "bench"];
    expect(shown.slice(0, first.length)).toEqual(first);
    expect(shown.toSorted()).toEqual(Object.keys(manifest.scripts).toSorted());
  });

  test("shows a first journey whose script calls routes that exist", async () => {
    expect(readme).toContain("](tests/journey/journey.sh)");
    expect(readme).toContain("```sh\nbash tests/journey/journey.sh\n```");
    const there = new Set<string>(listRoutes(routes).map(({ route }) => route.path));
    const called = [...(await read("tests/journey/journey.sh")).matchAll(/\$API(\/[\w/-]+)/g)].map(
      (match) => match[1] ?? "",
    );
    expect(called.length).toBeGreaterThan(8);
    expect(called.filter((path) => !there.has(path))).toEqual([]);
  });

  test("leads to every other document", () => {
    expect(paths.length).toBeGreaterThan(5);
    // A form of a pull request is filled in, not read.
    const forms = [".github/pull_request_template.md"];
    expect(
      paths.filter((path) => path !== "README.md" && !forms.includes(path) && !readme.includes(`](${path})`)),
    ).toEqual([]);
  });
});

describe("the handbook", () => {
  test("shows every verb of the operator's CLI, and no other", async () => {
    const section = sectionOf(await read("apps/cli/README.md"), "Commands");
    const shown = [...section.matchAll(/^\| `bun run cardkeep ([^|]*) \|/gm)].map((match) =>
      (match[1] ?? "").replaceAll(/[`·]/g, " ").trim().split(/\s+/),
    );
    const there = nouns
      .getAllEntries()
      .map(({ name, target }) => [
        name.original,
        ...("getAllEntries" in target ? target.getAllEntries().map((verb) => verb.name["convert-camel-to-kebab"]) : []),
      ]);
    expect(shown).toEqual(there);
  });
});

test("no page has npm or npx load our packages from a registry that does not have them, unless it says so", async () => {
  const guides = [...new Bun.Glob("apps/server/src/docs/guides/*.md").scanSync({ cwd: root })];
  const all = [...documents, ...(await Promise.all(guides.map(async (path) => ({ path, text: await read(path) }))))];
  const loading = /\bnpx"?, "args": \["cardkeep|\bnpx @?cardkeep\b|\bnpm install (?:-\S+ )*@?cardkeep\b/;
  const found = all.filter(({ text }) => loading.test(text));
  expect(found.length).toBeGreaterThan(2);
  const saying = /not in npm's registry yet|Until the packages are published/;
  expect(found.filter(({ text }) => !saying.test(text)).map(({ path }) => path)).toEqual([]);
});

test("each `stops set` that a document or a text of the service advises has the reason that it needs", async () => {
  const sources = [...new Bun.Glob("{packages,apps}/*/src/**/*.ts").scanSync({ cwd: root })];
  const texts = await Promise.all(sources.map(async (path) => ({ path, text: await read(path) })));
  const advised = [...documents, ...texts].flatMap(({ path, text }) =>
    [...text.matchAll(/stops set \S+ o(?:n|ff)\b[^`"\n]*/g)].map(([command]) => `${path}: ${command}`),
  );
  expect(advised.length).toBeGreaterThan(5);
  expect(advised.filter((command) => !command.includes("--reason"))).toEqual([]);
});

describe("the page of the operator's CLI", () => {
  test("names each part of readyz, and no number of events", async () => {
    const page = await read("apps/cli/README.md");
    const [, listed = ""] = /`\/readyz` has some of them as parts:\s([^.]*)\./.exec(page) ?? [];
    const { parts } = (await (await fetch(`${service.url}/readyz`)).json()) as { parts: object };
    expect(listed.split(/, | and |,\n/)).toEqual(Object.keys(parts));
    expect(page).not.toMatch(/\d+ events/);
  });
});

describe("the page of the database", () => {
  test("lists every table of the data model, and no other", async () => {
    const section = sectionOf(await read("packages/db/README.md"), "Tables");
    const listed = [...section.matchAll(/^\| (`[^|]*) \|/gm)].flatMap((match) =>
      [...(match[1] ?? "").matchAll(/`(\w+)`/g)].map((name) => name[1]),
    );
    const ours = Object.values(tables).flatMap((table) => (is(table, PgTable) ? [getTableName(table)] : []));
    expect(listed.sort()).toEqual(ours.sort());
  });
});

describe("every document", () => {
  test("names only commands that exist", () => {
    expect(listWrong(/`bun (?:run )?([a-z:]+)[ `]/g, (name) => name in manifest.scripts)).toEqual([]);
  });

  test("names only files and folders that exist, and links to them", () => {
    expect(listWrong(/`((?:apps|packages|tests|drizzle)\/[^`*{<]*)`/g, (path) => existsSync(join(root, path)))).toEqual(
      [],
    );
    const isThere = (link: string, path: string) =>
      /^https?:/.test(link) || existsSync(join(root, dirname(path), link));
    expect(listWrong(/\]\(([^)#]+)\)/g, isThere)).toEqual([]);
  });

  test("leads from a rule to the file that holds it", async () => {
    const table = sectionOf(await read("packages/domain/README.md"), "Where a rule lives");
    const rows = [...table.matchAll(/^\| [^|]+ \| `([^`]+)` \| ((?:`\w+`(?:, )?)+) \|$/gm)];
    expect(rows).toHaveLength([...table.matchAll(/^\| (?!rule |---)/gm)].length);
    expect(rows.length).toBeGreaterThanOrEqual(40);
    const named = rows.flatMap(([, file = "", names = ""]) =>
      [...names.matchAll(/\w+/g)].map(([name]) => ({ file, name })),
    );
    const texts = await Promise.all(named.map(({ file }) => read(file)));
    expect(named.filter(({ name }, index) => !new RegExp(`\\b${name}\\b`).test(texts[index] ?? ""))).toEqual([]);
  });

  test("names only settings and metrics that exist", () => {
    const isSetting = (name: string) => name in environment.shape;
    expect(listWrong(/`([A-Z]+(?:_[A-Z]+)+)(?:=\w+)?`/g, isSetting)).toEqual([]);
    const metrics = JSON.stringify(dashboard);
    const isKnown = (name: string) => metrics.includes(name) || name === serviceRoleDefault;
    expect(listWrong(/`(cardkeep_\w+)`/g, isKnown)).toEqual([]);
  });

  test("dates each decision and names choice, rejected alternative, consequence and file", () => {
    const decisions = documents.flatMap(({ path, text }) =>
      text
        .split(/^## /m)
        .filter((section) => section.startsWith("Decisions"))
        .flatMap((section) => section.split(/^### /m).slice(1))
        .map((decision) => ({ path, decision: decision.trim() })),
    );
    const shape =
      /^[^\n]+ \(20\d\d-[01]\d\)\n+- Choice: [^]+?\n- Rejected: [^]+?\n- Consequence: [^]+?\n- File: `([^`\n]+)`$/;
    expect(decisions.length).toBeGreaterThan(40);
    expect(decisions.filter(({ decision }) => !shape.test(decision))).toEqual([]);
    const files = decisions.map(({ decision }) => shape.exec(decision)?.[1] ?? "");
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test("names every kind of case in the handbook", async () => {
    const [, list = ""] =
      /\n## Cases\n([^]*?)\n## /.exec(await Bun.file(join(root, "apps/cli/README.md")).text()) ?? [];
    const named = [...list.matchAll(/^\| `(\w+)` \|/gm)].map(([, kind = ""]) => kind);
    expect(named.toSorted()).toEqual([...cardCaseKindNames].toSorted());
  });

  test("shows in the runbook the HAProxy that failovers are played with", async () => {
    const runbook = await Bun.file(join(root, "apps/cli/RUNBOOK.md")).text();
    const [, shown = ""] = /```haproxy\n([^`]+)```/.exec(runbook) ?? [];
    const nodes = ["one", "two", "three"].map((name, index) => ({ name, machine: { address: `10.0.0.${index + 1}` } }));
    const played = buildHaproxyFile(
      5_000,
      nodes.map((node) => ({ ...node, port: 5_432, restPort: 8_008 })),
    );
    // The number of connections is the machine's own.
    expect(shown).toBe(played.replace(/^global\n +maxconn \d+\n/, ""));
  });

  test("is plain English: a sentence names its subject, and has at most 25 words", () => {
    expect(documents.flatMap(({ path, text }) => listUnnamedSubjects(text).map((word) => `${path}: ${word}`))).toEqual(
      [],
    );
    const long = documents.flatMap(({ path, text }) =>
      listLongSentences(text).map((sentence) => `${path}: ${sentence}`),
    );
    expect(long).toEqual([]);
  });
});
