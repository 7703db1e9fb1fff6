/** A registry of packages on this machine: it holds what is published to it, and asks the machine's own registry for the rest. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";

const root = new URL("../..", import.meta.url).pathname;

export interface Registry {
  readonly url: string;
  /** Publishes a tarball. */
  publish(tarball: string): Promise<void>;
  stop(): Promise<void>;
}

/** Settings of npm that lead to the registry; anyone may publish, but npm wants a token. */
export const buildNpmrc = (url: string): string =>
  [`registry=${url}/`, `//${new URL(url).host}/:_authToken=none`, "audit=false", "fund=false", ""].join("\n");

export async function startRegistry(): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), "cardkeep-registry-"));
  const [port = 0] = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const own = { access: "$all", publish: "$all" };
  const config = {
    storage: join(folder, "storage"),
    uplinks: { machine: { url: await readNpmSetting("registry"), maxage: "1h" } },
    packages: { "@cardkeep/*": own, cardkeep: own, "**": { access: "$all", proxy: "machine" } },
    log: { type: "stdout", format: "json", level: "error" },
  };
  await writeFile(join(folder, "config.yaml"), JSON.stringify(config));
  await writeFile(join(folder, ".npmrc"), buildNpmrc(url));
  const child = Bun.spawn(
    ["node", join(root, "node_modules/verdaccio/bin/verdaccio"), "--config", "config.yaml", "--listen", url],
    { cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "inherit" },
  );
  const isUp = () =>
    fetch(`${url}/-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isUp, { timeoutMs: 60_000 });
  return {
    url,
    publish: async (tarball) => {
      const published = Bun.spawn(["npm", "publish", tarball], { cwd: folder, stdout: "ignore", stderr: "pipe" });
      const said = await new Response(published.stderr).text();
      if ((await published.exited) !== 0) throw new Error(said);
    },
    stop: async () => {
      child.kill();
      await child.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A setting of npm on this machine. */
export async function readNpmSetting(name: "registry" | "cache"): Promise<string> {
  const child = Bun.spawn(["npm", "config", "get", name], { cwd: tmpdir(), stdout: "pipe", stderr: "ignore" });
  return (await new Response(child.stdout).text()).trim();
}
