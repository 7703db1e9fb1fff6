import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectCardkeep } from "@cardkeep/testing";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { engineSettings } from "../support/engine.ts";
import { filled } from "../support/filled.ts";
import { OperatorBrowser } from "../support/operatorPages.ts";
import { until } from "../support/poll.ts";
import { runCommand } from "../support/runCommand.ts";
import { findFreePorts } from "../support/ports.ts";
import { eure } from "../support/tokens.ts";
import { compileExamples, compileGeneratedClients, compileWithEarlierCompiler, type Project } from "./compile.ts";
import { readNpmSettings, type Registry, startRegistry } from "./registry.ts";

/** A project elsewhere on the machine, which knows the packages by their names alone. */

const root = new URL("../..", import.meta.url).pathname;
const timeoutMs = 480_000;
const stranger = "0x000000000000000000000000000000000000bEEF";
/** The repository's compiler is a later one, which the generators of clients cannot use. */
const typescript = "5.9.3";
/** What the project has of its own. */
const own = { typescript, "@types/node": "20.19.25", viem: "2.57.1" };
/** Runners of tests, and generators of clients, in a folder above: npm would ask a registry about each of their parts. */
const tools = {
  typescript,
  vitest: "3.2.4",
  "@playwright/test": "1.65.1",
  "openapi-typescript": "7.13.0",
  "@hey-api/openapi-ts": "0.99.0",
};

let registry: Registry;
let folder: string;
let project: string;
/** A busy machine makes no decline and no 503. */
const patient = { DECISION_MS: "8000", RPC_TIMEOUT_MS: "5000" };
let env: Record<string, string>;
/** The instance that several tests share, started as a person would. */
let shared: { addresses: string; api: string; sandbox: string; home: string; ports: number; stop(): Promise<void> };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-outside-"));
  project = join(folder, "project");
  await mkdir(project);
  const node = dirname((await run(["which", "node"], root)).trim());
  const binaries = [project, folder].map((path) => join(path, "node_modules/.bin"));
  env = { PATH: [...binaries, node, "/usr/bin", "/bin"].join(":"), HOME: folder, ...engineSettings, ...patient };
  const tarballs = join(folder, "tarballs");
  const [npm] = await Promise.all([
    readNpmSettings(),
    run([process.execPath, "run", "pack", "--out", tarballs], root),
    unpack(folder, { dependencies: tools }),
  ]);
  registry = await startRegistry(tarballs, npm.registry);
  const { dependencies, optionalDependencies } = registry.foreign;
  // npm finds in place what it would install beside the packages, and removes what they do not name.
  await unpack(project, { dependencies: { ...dependencies, ...own }, optionalDependencies });
  await rm(join(project, "bun.lock"));
  await writeManifest(project, { dependencies: own });
  await writeFile(join(project, ".npmrc"), [`registry=${registry.url}/`, "audit=false", "fund=false", ""].join("\n"));
  // What npm keeps of other packages is found by its hash, so an install from there is the same.
  const npmEnv = { ...env, npm_config_cache: npm.cache };
  await run(["npm", "install", "cardkeep", "@cardkeep/client", "@cardkeep/testing"], project, npmEnv);
  shared = await startShared();
}, timeoutMs);
afterAll(async () => {
  await shared?.stop();
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
}, timeoutMs);

const run = (command: string[], cwd: string, env?: Record<string, string>): Promise<string> =>
  runCommand(command, { cwd, ...(env && { env }) });

const writeManifest = (path: string, manifest: Record<string, unknown>): Promise<void> =>
  writeFile(
    join(path, "package.json"),
    JSON.stringify({ name: "outside", private: true, type: "module", ...manifest }),
  );

/**
 * Installs packages of other authors with Bun, and runs their install scripts as npm does. Unpacking them is no part of the
 * promise, and takes npm ten times the processor time.
 */
async function unpack(path: string, wanted: Record<string, Record<string, string>>): Promise<void> {
  const trustedDependencies = Object.values(wanted).flatMap((packages) => Object.keys(packages));
  await writeManifest(path, { ...wanted, trustedDependencies });
  await run([process.execPath, "install", "--linker", "hoisted"], path);
}

async function startShared(): Promise<typeof shared> {
  const home = join(folder, "home");
  // Postgres does not run as root. It enters its own folder below this one.
  await mkdir(home);
  await chmod(folder, 0o711);
  const [ports = 0] = await findFreePorts(1);
  const child = Bun.spawn(["npx", "cardkeep", "start", "--json", "--port-base", String(ports)], {
    cwd: project,
    env: { ...env, CARDKEEP_HOME: home },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await child.stdout.getReader().read();
  const addresses = new TextDecoder().decode(value).trim();
  const { api, sandbox } = JSON.parse(addresses);
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { addresses, api, sandbox, home, ports, stop };
}

/** What the launcher says when it fails. */
async function failStart(args: string[], { cwd = project, node = [] as string[], more = {} } = {}) {
  const child = Bun.spawn(["node", ...node, "node_modules/cardkeep/bin/cardkeep.mjs", "start", ...args], {
    cwd,
    env: { ...env, ...more },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = await new Response(child.stderr).text();
  return { code: await child.exited, said: said.trim() };
}

const inside: Project = {
  readPackageFile: (name, path) => readFile(join(project, "node_modules", name, path), "utf8"),
  write: async (path, text) => {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  },
  run: (command, path = ".") => run(command, join(project, path), env),
};

/** Listens for deliveries, triggers an event, and waits until it arrives at a receiver on this machine. */
async function receiveTriggered(sandbox: string): Promise<void> {
  const { promise: arrived, resolve } = Promise.withResolvers<string>();
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { eventType } = (await request.json()) as { eventType: string };
      if (eventType === "kyc.phone-validation.changed") resolve(eventType);
      return new Response();
    },
  });
  const cardkeep = ["node", "node_modules/cardkeep/bin/cardkeep.mjs"];
  const listener = Bun.spawn(
    [...cardkeep, "listen", "--forward-to", `http://127.0.0.1:${receiver.port}/hook`, "--sandbox", sandbox],
    { cwd: project, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  try {
    // It says that it listens before anything else, and not among the deliveries.
    const { value } = await listener.stderr.getReader().read();
    expect(new TextDecoder().decode(value)).toContain("Ctrl-C ends");
    const said = await run(
      [...cardkeep, "trigger", "kyc.phone-validation.changed", "--sandbox", sandbox],
      project,
      env,
    );
    expect(said).toContain("kyc.phone-validation.changed");
    expect(await arrived).toBe("kyc.phone-validation.changed");
  } finally {
    listener.kill("SIGTERM");
    await listener.exited;
    await receiver.stop(true);
  }
}

/** An access token of the sandbox's OpenID provider, by the client credentials of a program. */
async function getProgramToken(program: string): Promise<string> {
  const response = await fetch(`${shared.sandbox}/identity/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`${program}:sandbox-program-secret`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials", resource: `${shared.api}/operator/api` }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

/** The status of a page, of its scripts, and of the desks that it links to. */
async function openWithScripts(page: string): Promise<[string, number][]> {
  const response = await fetch(page, { headers: { Accept: "text/html" } });
  const text = await response.text();
  const scripts = [...text.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path = ""]) => path);
  const desks = page.includes("?")
    ? []
    : [...text.matchAll(/href="([^"]*\?desk=[\w-]+)"/g)].map(([, path = ""]) => path);
  const linked = await Promise.all([
    ...scripts.map(async (path): Promise<[string, number][]> => [[path, (await fetch(new URL(path, page))).status]]),
    ...new Set(desks).values().map((path) => openWithScripts(new URL(path, page).href)),
  ]);
  return [[page, response.status], ...linked.flat()];
}

/** A person's journey through the typed client, on an instance of its own or on one that runs. */
const journey = `
import { CardkeepClientError, once, verifyDelivery } from "@cardkeep/client";
import { connectCardkeep, startCardkeep } from "@cardkeep/testing";

const [, , addresses] = process.argv;
const cardkeep = addresses ? connectCardkeep(JSON.parse(addresses)) : await startCardkeep({ settings: ${JSON.stringify(patient)} });
try {
  const ada = await cardkeep.person({ balance: "500", card: "virtual", iban: true });
  const [card] = ada.cards;
  const used = await cardkeep.useCard(card, { amount: 1250 });
  const order = { tokenAddress: "${eure}", to: "${stranger}", amount: "1000000000000000000" };
  const { data } = await ada.client.accounts.withdrawalData.query(order);
  const input = { ...order, signature: await ada.wallet.signTypedData(data), message: data.message };
  const { data: delay } = await ada.client.accounts.withdraw.mutate(input, once("rent"));
  await cardkeep.faults.set("callbacks.duplicate");
  // Another test kills the worker of the instance that runs.
  if (!addresses) await cardkeep.faults.set("worker.kill");
  const refusal = await ada.client.accounts.withdraw.mutate(input).catch((error) => error);
  const until = async (condition) => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const statusOf = async () => (await ada.client.delays.list.query()).find(({ id }) => id === delay.id)?.status;
  await until(async () => (await statusOf()) === "WAITING");
  await cardkeep.advance("4 min");
  await until(async () => (await statusOf()) === "EXECUTED");
  await cardkeep.incoming({ iban: ada.iban, amount: "25.50" });
  const { total } = await ada.client.accounts.balances.query();
  const find = async (kind) => (await cardkeep.deliveries()).find(({ eventType }) => eventType === kind);
  await until(() => find("account.withdrawal.completed"));
  const keys = await (await fetch(cardkeep.api + "/api/v1/webhooks/jwks.json")).json();
  const first = await find("user.created");
  const delivery = await verifyDelivery({ headers: first.headers, body: first.body, publicKeys: keys.keys });
  const [duplicate] = await cardkeep.faults.clear("callbacks.duplicate");
  console.log(JSON.stringify({
    duplicated: duplicate.hits > 0,
    approved: used.approved,
    refusal: refusal instanceof CardkeepClientError && refusal.code,
    total,
    delivered: delivery.eventType,
  }));
} finally {
  await cardkeep.stop?.();
}
`;

const outcome = { duplicated: true, approved: true, refusal: "delays.already_submitted", delivered: "user.created" };

describe("the published packages, installed elsewhere from a registry", () => {
  test("type-check in a strict program, with every example of their pages and of the guides", () =>
    compileExamples(inside));

  test("type-check in a strict program with the compiler before, without the types of browsers", () =>
    compileWithEarlierCompiler(inside));

  test(
    "play a journey in Node, on an instance of its own, and in Bun, on one that runs, side by side",
    async () => {
      await inside.write("journey.mjs", journey);
      const played = await Promise.all([
        run(["node", "journey.mjs"], project, env),
        run(["bun", "journey.mjs", shared.addresses], project, env),
      ]);
      for (const text of played) expect(JSON.parse(text)).toMatchObject(outcome);
    },
    timeoutMs,
  );

  test("carry a withdrawal out once while the worker is killed and Postgres restarts", async () => {
    const cardkeep = connectCardkeep(JSON.parse(shared.addresses));
    const ada = await cardkeep.person({ balance: "50" });
    const order = { tokenAddress: eure, to: stranger, amount: String(20n * 10n ** 18n) } as const;
    const { data } = await ada.client.accounts.withdrawalData.query(order);
    const signature = await ada.wallet.signTypedData(data);
    const submitted = ada.client.accounts.withdraw.mutate({ ...order, signature, message: data.message });
    expect(await cardkeep.faults.set("worker.kill")).toEqual({ name: "worker.kill", hits: 1 });
    const { data: delay } = await submitted;
    const statusOf = async () => {
      const delays = await ada.client.delays.list.query().catch(() => []);
      return delays.find(({ id }) => id === delay.id)?.status;
    };
    await until(async () => (await statusOf()) === "WAITING");
    await cardkeep.advance("4 min");
    expect(await cardkeep.faults.set("postgres.restart")).toEqual({ name: "postgres.restart", hits: 1 });
    await cardkeep.faults.set("worker.kill");
    await until(async () => (await statusOf()) === "EXECUTED");
    expect(await ada.client.accounts.balances.query()).toMatchObject({ total: String(30n * 10n ** 18n), pending: "0" });
    expect(await cardkeep.faults.list()).toEqual([]);
  }, 60_000);

  test(
    "serve a vitest file and a file of bun test that share one instance, and clients that others generate",
    async () => {
      expect(Object.keys(JSON.parse(shared.addresses))).toEqual(["api", "sandbox", "chain", "database", "operatorKey"]);
      const file = (runner: string) => `import { expect, test } from "${runner}";
import { connectCardkeep } from "@cardkeep/testing";
const cardkeep = connectCardkeep(${shared.addresses});
test("a card pays", async () => {
  const ada = await cardkeep.person({ balance: "50", card: "physical" });
  expect(await cardkeep.useCard(ada.cards[0], { amount: 1250 })).toMatchObject({ approved: true, reason: "approved" });
}, 60_000);
`;
      await inside.write("vitest.test.ts", file("vitest"));
      await inside.write("bun.spec.ts", file("bun:test"));
      const document = await (await fetch(`${shared.api}/openapi.json`)).text();
      await Promise.all([
        run(["vitest", "run", "vitest.test.ts"], project, env),
        run(["bun", "test", "./bun.spec.ts"], project, env),
        compileGeneratedClients(inside, document),
        receiveTriggered(shared.sandbox),
      ]);
    },
    timeoutMs,
  );

  test("let an operator's program in by client credentials, from a folder with nothing but the command", async () => {
    const cardkeep = connectCardkeep(JSON.parse(shared.addresses));
    const { cards } = await cardkeep.person({ card: "virtual" });
    const [card] = cards;
    if (!card) throw new Error("The person has no card");
    const empty = join(folder, "empty");
    await mkdir(empty);
    const token = join(empty, "token");
    const binary = join(project, "node_modules/cardkeep/bin/cardkeep.mjs");
    /** Neither a database nor a key of the operator is known here, and sessions are kept in a home of its own. */
    const type = (...words: string[]) =>
      run(["node", binary, "--server", shared.api, ...words], empty, {
        ...env,
        XDG_CONFIG_HOME: empty,
        NODE_ENV: "production",
      });
    await writeFile(token, await getProgramToken("program-support"));
    expect(await type("operators", "sign-in", "--access-token", token)).toContain(
      "Signed in as program-support: support",
    );
    await rm(token);
    expect(await type("cases", "list")).toContain("There are no such cases.");
    const act = ["cards", "freeze", card.id, "--reason", "phone-call-4711"];
    expect(await type(...act)).toMatch(/^Status +1005 Frozen\n +Frozen by its user or by support/m);
    expect(await cardkeep.useCard(card, { amount: 100 })).toMatchObject({ approved: false });
  }, 60_000);

  test("sign an operator in at the OpenID provider that is inside", async () => {
    const service = { runtime: { settings: { publicUrl: shared.api } } };
    const page = await new OperatorBrowser().signIn(service, "vera-viewer", "/operator/jobs");
    expect([page.status, page.url]).toEqual([200, `${shared.api}/operator/jobs`]);
    expect(page.text).toContain("Vera Viewer");
  });

  test("show every desk of the sandbox, the elements and the documents, with the scripts of each", async () => {
    const elements = `http://localhost:${shared.ports + 2}/`;
    const documents = ["/docs", "/docs/search.js", "/docs/run.js"].map((path) => `${shared.api}${path}`);
    const opened = (await Promise.all([`${shared.sandbox}/`, elements, ...documents].map(openWithScripts))).flat();
    expect(opened.filter(([, status]) => status !== 200)).toEqual([]);
    expect(opened.map(([path]) => path)).toEqual(
      expect.arrayContaining([`${shared.sandbox}/?desk=person`, "/console/person.js"]),
    );
  });

  test("hold no path of the machine that built them, and the licence of every bundled package", async () => {
    const program = join(project, "node_modules/cardkeep");
    const bundles = await Array.fromAsync(new Bun.Glob("{apps,packages}/**/*.{js,ts}").scan({ cwd: program }));
    expect(bundles).toEqual(
      expect.arrayContaining(["local", "server", "worker", "sandbox", "cli"].map((app) => `apps/${app}/src/main.js`)),
    );
    for (const path of bundles) expect(await readFile(join(program, path), "utf8")).not.toContain(root);
    const licenses = await readFile(join(program, "THIRD_PARTY_LICENSES.txt"), "utf8");
    const { components } = JSON.parse(await readFile(join(program, "sbom.cdx.json"), "utf8"));
    const names = (components as { name: string; version: string }[]).map(({ name, version }) => `${name}@${version}`);
    expect(names).toContain("postgres@3.4.9");
    for (const name of filled(names)) expect(licenses).toContain(`\n${name}  `);
    // Clients and kits are for programs of every licence.
    for (const name of ["@cardkeep/client", "@cardkeep/testing"])
      expect(await readFile(join(project, "node_modules", name, "LICENSE"), "utf8")).toStartWith("MIT License");
  });

  test("say in one line what is wrong: a port in use, wrong arguments", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    try {
      const taken = await failStart(["--port-base", String(server.port)]);
      expect(taken).toEqual({ code: 1, said: expect.stringContaining(`Port ${server.port} is`) });
    } finally {
      await server.stop(true);
    }
    expect(await failStart(["--port-base", "many"])).toEqual({ code: 2, said: expect.stringContaining("--port-base") });
    expect(await failStart(["--fast"])).toEqual({ code: 2, said: expect.stringContaining("--fast") });
  });

  test("refuse a second start on one data folder, on the same ports and on others, and leave the first alone", async () => {
    const [other = 0] = await findFreePorts(1);
    const more = { CARDKEEP_HOME: shared.home };
    for (const ports of [shared.ports, other]) {
      const { code, said } = await failStart(["--port-base", String(ports)], { more });
      expect(code).toBe(1);
      expect(said).toMatch(
        /^cardkeep: Process \d+ already uses .*\. Stop it or set CARDKEEP_HOME to another folder\.$/,
      );
      expect(said).toContain(shared.home);
    }
    await until(async () => (await (await fetch(`${shared.api}/readyz`)).json()).status === "ok");
  });

  test("name the platforms they run on, on another one", async () => {
    // As npm installs them there: the launcher, and Bun's package without a binary.
    const elsewhere = join(folder, "elsewhere");
    const modules = join(elsewhere, "node_modules");
    for (const path of ["cardkeep/bin", "bun/bin"]) await mkdir(join(modules, path), { recursive: true });
    for (const path of ["cardkeep/package.json", "cardkeep/bin/cardkeep.mjs", "bun/package.json"])
      await copyFile(join(project, "node_modules", path), join(modules, path));
    await writeFile(join(modules, "bun/bin/bun.exe"), "echo Bun's install script did not run\n");
    await writeFile(
      join(elsewhere, "freebsd.cjs"),
      'Object.defineProperty(process, "platform", { value: "freebsd" });\n',
    );
    expect(await failStart([], { cwd: elsewhere, node: ["--require", "./freebsd.cjs"] })).toEqual({
      code: 1,
      said: `cardkeep: there is no Bun for freebsd ${process.arch} here; it runs on Linux and macOS, x64 and arm64`,
    });
  });
});
