import { expect, test } from "bun:test";
import { getServerUrl, serverVariable } from "../support/postgres.ts";

const root = new URL("../..", import.meta.url).pathname;

async function bench(...parameters: string[]) {
  const child = Bun.spawn([process.execPath, "tests/bench/main.ts", ...parameters], {
    cwd: root,
    env: { ...process.env, [serverVariable]: await getServerUrl() },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}

test("`bun run bench` measures the production server beside its baseline, a line of JSON per measure", async () => {
  const { stdout, stderr, code } = await bench("read.rest", "--json", "--seconds", "0.1", "--rounds", "2");
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const [measure, ...more] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(more).toEqual([]);
  expect(measure).toMatchObject({ name: "read.rest", unit: "req/s" });
  const { ratio, spread, value, baseline, p50, p99, target, met } = measure;
  for (const figure of [ratio, value, baseline, p50]) expect(figure).toBeGreaterThan(0);
  expect(p99).toBeGreaterThanOrEqual(p50);
  expect(spread[0]).toBeLessThanOrEqual(ratio);
  expect(spread[1]).toBeGreaterThanOrEqual(ratio);
  const [, least] = /^ratio >= (\d\.\d+)$/.exec(target) ?? [];
  expect(Number(least)).toBeGreaterThan(0);
  expect(met).toBe(ratio >= Number(least));
});

test("`bun run bench` with an unknown name starts nothing and lists the names that exist, as its README lists them", async () => {
  const { stdout, stderr, code } = await bench("read.rest", "read.fast");
  expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
  const [, known = ""] = /^bench: there is no read\.fast; there are (.*)\n$/.exec(stderr) ?? [];
  const readme = await Bun.file(`${root}tests/bench/README.md`).text();
  const section = readme.slice(readme.indexOf("## Speed"), readme.indexOf("## Growth"));
  const rows = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, names = ""]) => names);
  const reported = rows.flatMap((names) =>
    names
      .trim()
      .split(", ")
      .map((name) => name.replaceAll("`", "")),
  );
  expect(reported.length).toBeGreaterThan(5);
  expect(known.split(", ")).toEqual(reported);
});

test("`bun run bench endurance` for no time starts nothing", async () => {
  const { stdout, stderr, code } = await bench("endurance", "--hours", "0");
  expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: "bench: --hours takes a number above 0\n", code: 2 });
});
