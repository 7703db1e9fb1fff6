import { expect, test } from "bun:test";
import { environment } from "@cardkeep/runtime/settings";
import { existsSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };

const root = new URL("../../", import.meta.url);
const read = (name: string): Promise<string> => Bun.file(new URL(name, root)).text();
const dockerfile = await read("Dockerfile");
const compose = Bun.YAML.parse(await read("compose.yaml")) as {
  services: Record<string, { build?: { target: string }; environment?: Record<string, string>; volumes?: string[] }>;
  volumes: Record<string, unknown>;
};

test("the images run the Bun version of the program, never as root, and from existing files", () => {
  expect(dockerfile).toContain(`FROM oven/bun:${manifest.engines.bun.replace(">=", "")} `);
  const stages = dockerfile.split(/^FROM /m).slice(2);
  expect(stages).toHaveLength(2);
  for (const stage of stages) {
    expect(stage.indexOf("USER bun")).toBeGreaterThan(0);
    expect(stage.indexOf("USER bun")).toBeLessThan(stage.indexOf("CMD"));
    const [, main = ""] = /^CMD \["bun", "([^"]+)"\]$/m.exec(stage) ?? [];
    expect(existsSync(new URL(main, root))).toBe(true);
  }
  const installed = [...dockerfile.matchAll(/--filter @cardkeep\/(\w+)/g)].map(([, name]) => name);
  expect(installed).toEqual(["server", "worker", "cli"]);
  const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap((match) => (match[1] ?? "").split(" "));
  expect(copied.filter((name) => !existsSync(new URL(name, root)))).toEqual([]);
});

test("the compose file builds existing stages, with existing settings, on declared volumes", () => {
  const { cardkeep } = compose.services;
  expect(dockerfile).toContain(` AS ${cardkeep?.build?.target}\n`);
  const names = Object.keys(cardkeep?.environment ?? {});
  expect(names).toEqual(["DATABASE_URL"]);
  expect(names.filter((name) => !(name in environment.shape))).toEqual([]);
  for (const service of Object.values(compose.services)) {
    for (const volume of service.volumes ?? [])
      expect(Object.keys(compose.volumes)).toContain(volume.split(":")[0] ?? "");
  }
});
