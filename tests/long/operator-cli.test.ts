import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { nouns } from "@cardkeep/cli/nouns";
import { runCommandLine } from "@cardkeep/cli/run";
import { version } from "@cardkeep/contract/version";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { listJobs, retryJob } from "@cardkeep/domain/core/jobs/listJobs";
import { getUserDetails } from "@cardkeep/domain/operations/people/getUserDetails";
import { createRuntime } from "@cardkeep/runtime/compose";
import { announceLocal } from "@cardkeep/runtime/local";
import { readSettings } from "@cardkeep/runtime/settings";
import { programs } from "@cardkeep/terminal/programs";
import { startWorker } from "@cardkeep/worker/worker";
import { sql } from "drizzle-orm";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askCli, runCli, runCliOn, spawnCli } from "../support/cli.ts";
import { createEmptyDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

const cli = (...words: string[]) => runCliOn(service.runtime, ...words);
const ask = <T>(...words: string[]) => askCli<T>(service, ...words);
/** Runs a command line whose service cannot be opened. */
const type = (...words: string[]) => runCommandLine(words, () => Promise.reject(new Error("opened")));
const unreachable = "postgres://nobody@127.0.0.1:1/none";

describe("the database", () => {
  test("is not distributed without Citus: one clear line, exit code 1", async () => {
    expect(await cli("database", "distribute")).toEqual({
      code: 1,
      out: "",
      err: "cardkeep: The database has no Citus: install it on each node, run `create extension citus`, and add the nodes\n",
    });
  });

  test("keeps its present rows from the archive, and says so", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cardkeep-archives-"));
    const { code, out } = await cli("database", "archive", "--months", "2", "--out", folder);
    expect([code, out]).toEqual([0, "No month is that old.\n"]);
    expect((await cli("database", "archive", "--months", "1", "--out", folder)).code).toBe(2);
    const { code: refused, err } = await cli("database", "restore", folder);
    expect([refused, err]).toEqual([1, `cardkeep: ${folder} holds no archive: it has no manifest.json\n`]);
    rmSync(folder, { recursive: true });
  });
});

describe("a command line", () => {
  test("alone, or with --help at any level, prints the possible words, exit code 0", async () => {
    const { code, out, err } = await spawnCli(service.env);
    expect([code, err]).toEqual([0, ""]);
    for (const { name } of filled(nouns.getAllEntries())) expect(out).toContain(`\n  ${name.original} `);
    const [helped, ofNoun, ofVerb] = await Promise.all([
      cli("--help"),
      cli("partners", "--help"),
      cli("partners", "create", "--help"),
    ]);
    expect(helped.out).toBe(out);
    expect([ofNoun.code, ofNoun.out]).toEqual([
      0,
      expect.stringContaining("disable [--json] [--exact] [--reason TEXT] <id>"),
    ]);
    expect((await cli("partners")).out).toBe(ofNoun.out);
    expect([ofVerb.code, ofVerb.out]).toEqual([0, expect.stringContaining("--webhook-url URL")]);
    expect(await cli("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  test("every verb has an example in its help, and the example is valid", async () => {
    const verbs = nouns
      .getAllEntries()
      .flatMap(({ name, target }) =>
        "getAllEntries" in target
          ? target.getAllEntries().map((verb) => [name.original, verb.name["convert-camel-to-kebab"]])
          : [[name.original]],
      );
    expect(verbs.length).toBeGreaterThan(30);
    const home = mkdtempSync(join(tmpdir(), "cardkeep-examples-"));
    for (const verb of verbs) {
      const { out } = await type(...verb, "--help");
      const [, block = ""] = /^Examples?\n((?: {2}cardkeep .*\n?)+)/m.exec(out) ?? [];
      const examples = [...block.matchAll(/^ {2}cardkeep (.*)$/gm)].map(([, words = ""]) => words);
      expect(examples.length).toBeWithin(1, 3);
      // It gets as far as the service or the sandbox; the files of some examples do not exist.
      const unreached: Readonly<Record<string, RegExp>> = {
        "questions set": /questions\.json/,
        "users erase-again": /server\.log/,
        "rules create": /no-gambling\.json/,
        "rules draft": /no-gambling\.json/,
        listen: /No sandbox answers/,
        trigger: /No start runs from|No sandbox answers/,
        "faults list": /No sandbox answers/,
        "faults set": /No start runs from|No sandbox answers/,
        "faults clear": /No start runs from|No sandbox answers/,
        where: /^$/,
        completion: /^$/,
        ...Object.fromEntries(Object.keys(programs).map((name) => [name, /a program of its own/])),
        // It needs neither.
        manifests: /^$/,
        "keys generate": /^$/,
      };
      const expected = unreached[verb.join(" ")] ?? /opened/;
      for (const example of filled(examples)) {
        expect(example).toStartWith(verb.join(" "));
        // It serves until its standard input ends; a test of its own connects to it.
        if (example.startsWith("mcp")) continue;
        const words = example.split(" ").map((word) => (word === "production" ? join(home, word) : word));
        expect([example, (await type(...words)).err]).toEqual([example, expect.stringMatching(expected)]);
      }
    }
    rmSync(home, { recursive: true });
  });

  test("with a mistake gets one line about it, exit code 2, and no effect", async () => {
    const wrong: Record<string, string[]> = {
      'Unknown verb "lst". Did you mean `cardkeep users list`?': ["users", "lst"],
      'Unknown noun "partner". Did you mean `cardkeep partners list`?': ["partner", "list"],
      'Unknown noun "list". Did you mean `cardkeep users list`?': ["list", "user"],
      'Unknown noun "dmeo". Did you mean `cardkeep demo`?': ["dmeo"],
      'Unexpected argument "x": the command takes none. See `cardkeep demo --help`.': ["demo", "x"],
      'Unknown noun "toString". `cardkeep --help` lists what there is.': ["toString"],
      'Unknown verb "remove". `cardkeep partners --help` lists what there is.': ["partners", "remove", "x"],
      'Unknown verb "retry-faild". Did you mean `cardkeep jobs retry-failed`?': ["jobs", "retry-faild"],
      "Unknown flag --all. See `cardkeep partners list --help`.": ["partners", "list", "--all"],
      "Unknown flag --limits. Did you mean --limit?": ["partners", "list", "--limits", "5"],
      "Unknown flag --to-string.": ["partners", "list", "--to-string", "x"],
      "Unknown flag --constructor.": ["partners", "list", "--constructor", "x"],
      "Give a value for <id>. See `cardkeep partners show --help`.": ["partners", "show"],
      'Unexpected argument "x": the command takes none.': ["partners", "list", "x"],
      'Invalid value "many" for --limit: it must be a number': ["partners", "list", "--limit", "many"],
      'Invalid value "0" for --limit: it must be at least 1': ["partners", "list", "--limit", "0"],
      'Invalid value "5000" for --limit: it must be at most 1000': ["partners", "list", "--limit", "5000"],
      'Invalid value "1.5" for --limit: it must be a whole number': ["partners", "list", "--limit", "1.5"],
      "Invalid value for --overlap-hours: it must be at least 0": ["partners", "rotate", "x", "--overlap-hours=-1"],
      "Invalid value for --percent: it must be a whole number": ["coupons", "create", "WRONG", "--percent", "5.5"],
      "Invalid value for --amount: must be decimal EUR": ["coupons", "create", "WRONG", "--amount", "much"],
      "Invalid value for --per-user: must be a number above zero, or unlimited": [
        "coupons",
        "create",
        "WRONG",
        "--percent",
        "5",
        "--per-user",
        "many",
      ],
      "Invalid value for --email: Invalid email format": ["partners", "change", "x", "--email", "nobody"],
      'Invalid value "soon" for --from: it must be an instant such as 2026-01-31T12:00:00Z': [
        "webhooks",
        "replay",
        "--from",
        "soon",
      ],
      'Invalid value "" for --user: it is empty': ["cards", "list", "--user", ""],
      'Invalid value "OPEN" for --status. Choose one of ACTIVE, DEACTIVATED.': ["users", "list", "--status", "OPEN"],
      'Invalid value "deactivate" for --status. Did you mean DEACTIVATED?': ["users", "list", "--status", "deactivate"],
      'Invalid value "payments" for <part>: it must be one of sign-ups, card-payments, card-orders, withdrawals, deliveries, treasury. Did you mean card-payments?':
        ["stops", "set", "payments", "on"],
      'Invalid value "one" for <version>: it must be a number': ["rules", "backtest", "x", "one"],
      'Invalid value "purple" for <risk>:': ["users", "risk", "ada@example.org", "purple"],
      "Give a value for --limit.": ["partners", "list", "--limit"],
      "Give a value for --name.": ["partners", "create"],
      "Give --name only once.": ["partners", "create", "--name", "a", "--name", "b"],
      "Invalid value for --percent: it must be at most 100": ["coupons", "create", "WRONG", "--percent", "101"],
      "Invalid value for --expires-at: it must be an instant such as 2026-01-31T12:00:00Z": [
        "coupons",
        "create",
        "WRONG",
        "--percent",
        "5",
        "--expires-at",
        "soon",
      ],
      "--failed and --waiting exclude each other.": ["jobs", "list", "--failed", "--waiting"],
      "--accept and --report exclude each other.": ["reconcile", "--accept", "x", "--report"],
      "Give either --id, or --partner together": ["webhooks", "replay", "--id", "x", "--partner", "y", "--all"],
      'Invalid value "3b1c6f0d" for --head: it must be a whole hash': ["actions", "verify", "--head", "3b1c6f0d"],
      'Invalid value "maybe" for --failed:': ["jobs", "list", "--failed=maybe"],
      "Unknown flag --verbose.": ["--verbose"],
      "Unknown flag -x.": ["partners", "list", "-x"],
    };
    for (const [text, words] of Object.entries(wrong)) {
      const output = await type(...words);
      expect([words, output]).toEqual([words, { code: 2, out: "", err: expect.stringContaining(`cardkeep: ${text}`) }]);
      expect(output.err.split("\n")).toHaveLength(2);
    }
    const { code, out, err } = await spawnCli(service.env, "users", "lst");
    expect([code, out, err]).toEqual([2, "", 'cardkeep: Unknown verb "lst". Did you mean `cardkeep users list`?\n']);
  });

  test("with nothing running it says what to do, exit code 1", async () => {
    const { code, out, err } = await runCli({ DATABASE_URL: unreachable }, "partners", "list");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(
      "cardkeep: no database answers at 127.0.0.1:1: run `bun start`, or set DATABASE_URL to a Postgres that runs\n",
    );
    const broken = await runCli({ DATABASE_URL: "nowhere", PORT: "door" }, "partners", "list");
    expect([broken.code, broken.err]).toEqual([1, expect.stringMatching(/^cardkeep: .*PORT: .*DATABASE_URL: .*\n$/)]);
  });

  test("on a database without migrations it names the command", async () => {
    const empty = await createEmptyDatabase();
    const { code, err } = await runCli({ ...service.env, DATABASE_URL: empty.url }, "partners", "list");
    await empty.drop();
    expect([code, err]).toEqual([1, expect.stringContaining("bun run migrate")]);
  });

  test("without settings it finds the running service of this machine, as long as it runs", async () => {
    const home = mkdtempSync(join(tmpdir(), "cardkeep-home-"));
    const settings = readSettings({ ...service.env, CARDKEEP_HOME: home });
    const url = new URL(service.env["DATABASE_URL"] ?? "");
    const local = { ...settings, databaseUrl: undefined, rpcUrl: undefined, postgresPort: Number(url.port) };
    const notice = announceLocal(local, null);
    // The embedded database is called `cardkeep`; this one was made for the test.
    const path = join(home, "running.json");
    const reported = await Bun.file(path).json();
    expect(new URL(reported.env.DATABASE_URL).port).toBe(url.port);
    writeFileSync(path, JSON.stringify({ ...reported, env: { ...reported.env, DATABASE_URL: url.href } }));
    expect((await spawnCli({ CARDKEEP_HOME: home }, "partners", "list")).out).toContain("Sandbox");
    const away = { CARDKEEP_HOME: home, DATABASE_URL: unreachable };
    expect((await runCli(away, "partners", "list")).code).toBe(1);
    writeFileSync(path, JSON.stringify({ ...reported, pid: 2 ** 22, env: { DATABASE_URL: url.href } }));
    expect((await runCli({ CARDKEEP_HOME: home, POSTGRES_PORT: "1" }, "partners", "list")).code).toBe(1);
    notice.withdraw();
    expect(existsSync(path)).toBe(false);
    rmSync(home, { recursive: true });
  });

  test("every list and count prints one JSON document, and a table of at most 120 columns without colours", async () => {
    const lists = nouns
      .getAllEntries()
      .flatMap(({ name, target }) =>
        target.kind !== nouns.kind || !target.getRoutingTargetForInput("list") ? [] : [[name.original, "list"]],
      )
      // The faults are the sandbox's.
      .filter(([noun]) => noun !== "faults");
    const check = async (words: string[]) => {
      const [{ out: json }, { code, out, err }] = await Promise.all([cli(...words, "--json"), cli(...words)]);
      expect([words, typeof JSON.parse(json), code, err]).toEqual([words, "object", 0, ""]);
      expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
      expect(out).not.toContain("\u001b");
    };
    expect(lists.length).toBeGreaterThan(0);
    // Each command has connections of its own, and the database has no more than 200.
    for (const words of [...lists, ["jobs", "counts"]]) await check(words);
  });
});

describe("partners", () => {
  interface Partner {
    id: string;
    status: string;
    domains: string[];
    users: number;
  }

  test("a new one signs people in at once, and its pages may call, until it is disabled, and again once it is enabled", async () => {
    const created = await ask<Partner>(
      "partners",
      "create",
      "--name",
      "Shop",
      "--domain",
      "Shop.example.org",
      "--domain",
      "shop.example.org:8443",
    );
    expect(created).toMatchObject({
      status: "ACTIVE",
      domains: ["shop.example.org", "shop.example.org:8443"],
      users: 0,
    });
    const ada = new Person(service);
    const signIn = async (): Promise<number> => {
      const signed = await ada.signMessage({ domain: "shop.example.org", uri: "https://shop.example.org" });
      const { status, body } = await ada.call("POST", "/auth/challenge", signed);
      ada.token = body.token ?? ada.token;
      return status;
    };
    const origin = "https://shop.example.org";
    const mayCall = async () =>
      (await fetch(`${service.url}/api/v1/terms`, { headers: { Origin: origin } })).headers.get(
        "access-control-allow-origin",
      ) === origin;
    expect([await signIn(), await mayCall()]).toEqual([200, true]);
    await ada.signUp({ partnerId: created.id });
    expect(await ask<Partner>("partners", "disable", created.id)).toMatchObject({ status: "DISABLED", users: 1 });
    expect([await signIn(), await mayCall()]).toEqual([401, false]);
    expect((await ask<Partner>("partners", "enable", created.id)).status).toBe("ACTIVE");
    expect(await signIn()).toBe(200);
    expect((await ask<Partner[]>("partners", "list")).map(({ id }) => id)).toContain(created.id);
    const { out } = await cli("partners", "show", created.id);
    expect(out).toMatch(/^Domains {2,}shop\.example\.org\n {2,}shop\.example\.org:8443$/m);
  });

  test("an input that breaks a rule gets the rule's own text, exit code 1", async () => {
    const refused: Record<string, string[]> = {
      "A partner with this id or domain exists": ["partners", "create", "--name", "Twice", "--id", "sandbox"],
      "A domain is a lower-case host or host:port, without scheme or path": [
        "partners",
        "create",
        "--name",
        "Bad",
        "--domain",
        "https://bad.example.org",
      ],
      "There is no such partner. `cardkeep partners list` lists what there is": ["partners", "disable", "nobody"],
    };
    for (const [text, words] of Object.entries(refused)) {
      expect(await runCliOn(service.runtime, ...words)).toEqual({ code: 1, out: "", err: `cardkeep: ${text}\n` });
    }
    const taken = await spawnCli(service.env, "partners", "create", "--name", "Twice", "--id", "sandbox");
    expect(taken).toEqual({ code: 1, out: "", err: "cardkeep: A partner with this id or domain exists\n" });
  });

  test("a name cannot send control sequences to the terminal", async () => {
    await ask("partners", "create", "--name", "\u001b[31mred\nsecond line");
    const { out } = await cli("partners", "list");
    expect(out).toContain("[31mred second line");
    expect(out).not.toContain("\u001b");
  });
});

test("coupons are created, listed and disabled by code in any letter case; invalid input gets an error", async () => {
  const made = await ask<object>("coupons", "create", "Spring", "--percent", "20", "--max-redemptions", "3");
  expect(made).toMatchObject({ code: "SPRING", percent: 20, redemptionsMax: 3, active: true, expiresAt: null });
  const fixed = await ask<object>(
    "coupons",
    "create",
    "TENNER",
    "--amount",
    "10.50",
    "--expires-at",
    "2030-01-01T00:00:00Z",
  );
  expect(fixed).toMatchObject({ amountEur: "10.50", expiresAt: "2030-01-01T00:00:00.000Z" });
  expect((await cli("coupons", "list")).out).toMatch(/^SPRING +20 % +0 +3 +1 +yes/m);
  expect(await ask<object>("coupons", "disable", "spring")).toMatchObject({ code: "SPRING", active: false });
  for (const [text, ...words] of [
    ["A coupon with this code exists", "coupons", "create", "spring", "--percent", "5"],
    ["A coupon has either a percentage or an amount", "coupons", "create", "NOTHING"],
    ["There is no such coupon. `cardkeep coupons list` lists what there is", "coupons", "disable", "NOTHING"],
  ]) {
    expect(await runCliOn(service.runtime, ...words)).toEqual({ code: 1, out: "", err: `cardkeep: ${text}\n` });
  }
});

test("orders are listed by user and status, and cancelled once, also ready ones", async () => {
  const person = await new Person(service).becomeApproved();
  const { id } = (await person.call("POST", "/order/create", { personalizationSource: "KYC" })).body;
  await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "FREECARD" });
  await person.call("PUT", `/order/${id}/confirm-payment`);
  const wallet = person.account.address;
  const list = (...words: string[]) => ask<{ id: string; status: string }[]>("orders", "list", ...words);
  expect(await list("--user", wallet, "--status", "READY")).toMatchObject([{ id, status: "READY" }]);
  expect(await list("--user", wallet, "--status", "CANCELLED")).toEqual([]);
  expect((await person.call("POST", `/order/${id}/cancel`)).status).toBe(400);
  const { out } = await cli("orders", "cancel", id);
  expect(out).toMatch(/^Status +CANCELLED$[^]*^Due +0\.00 EUR$/m);
  expect((await person.call("GET", `/order/${id}`)).body.status).toBe("CANCELLED");
  expect(await cli("orders", "cancel", id)).toMatchObject({ code: 1, err: expect.stringContaining("correct status") });
  expect(await cli("orders", "cancel", "x")).toMatchObject({ code: 1, err: expect.stringContaining("not found") });
});

describe("users", () => {
  test("are found by id, e-mail address, wallet and Safe, in any letter case", async () => {
    const ada = await (await new Person(service).signIn()).signUp({ authEmail: "Ada.L@example.org" });
    await ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved" });
    await ada.call("POST", "/safe/deploy");
    const shown = await ask<{ id: string; safes: { address: string }[] }>("users", "show", ada.userId ?? "");
    expect(shown).toMatchObject({
      id: ada.userId,
      email: "Ada.L@example.org",
      kycStatus: "approved",
      signInWallets: [{ address: ada.account.address }],
      safes: [{ status: "processing", tokenSymbol: "EURe" }],
      openDelays: 0,
    });
    const [safe] = shown.safes;
    const find = (reference: string) => getUserDetails(operatorOf(service.runtime), { reference });
    for (const reference of ["ada.l@EXAMPLE.org", ada.account.address.toLowerCase(), safe?.address ?? ""]) {
      expect((await find(reference)).id).toBe(shown.id);
    }
    const { out } = await cli("users", "list", "--kyc", "approved");
    expect(out).toContain("Ada.L@example.org");
    for (const reference of ["nobody", "nobody@example.org", "0x000000000000000000000000000000000000bEEF"]) {
      expect(await find(reference).catch((error: unknown) => error)).toMatchObject({ code: "users.not_found" });
    }
  });

  test("a deactivated one signs in, reads and may withdraw, but changes nothing else until activated", async () => {
    const bea = await (await new Person(service).signIn()).signUp();
    const email = `${bea.account.address.slice(2, 14).toLowerCase()}@example.org`;
    expect(await ask<object>("users", "deactivate", email)).toMatchObject({ status: "DEACTIVATED" });
    await bea.signIn();
    expect((await bea.call("GET", "/user")).body.status).toBe("DEACTIVATED");
    const accept = () =>
      bea.call(
        "POST",
        "/user/terms",
        { terms: "general-tos", version: "TOS_GENERAL_VERSION_1" },
        { "Idempotency-Key": "k" },
      );
    const refused = { status: 403, body: { error: "The user is deactivated and can only withdraw" } };
    expect(await accept()).toMatchObject(refused);
    expect(await bea.call("POST", "/safe/deploy")).toMatchObject(refused);
    const overTrpc = await bea
      .trpc()
      .safes.deploy.mutate({})
      .catch((error: unknown) => error);
    expect(overTrpc).toMatchObject({ data: { error: "users.deactivated", httpStatus: 403 } });
    // Its own rules answer: there is no Safe to withdraw from.
    const withdrawal = { tokenAddress: email, to: email, amount: "1" };
    expect((await bea.call("POST", "/accounts/withdraw", withdrawal)).status).toBe(422);
    expect((await ask<{ id: string }[]>("users", "list", "--status", "DEACTIVATED")).map(({ id }) => id)).toEqual([
      bea.userId ?? "",
    ]);
    expect(await ask<object>("users", "activate", bea.userId ?? "")).toMatchObject({ status: "ACTIVE" });
    expect((await accept()).status).toBe(200);
  });
});

describe("questions", () => {
  test("are listed as they are set, asked from then on, and refused if no one could pass", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cardkeep-questions-"));
    const file = join(folder, "questions.json");
    const before = await ask<{ question: string; answers: { text: string; risk: string }[] }[]>("questions", "list");
    expect(before).toHaveLength(6);
    const [first] = before;
    writeFileSync(file, JSON.stringify([first]));
    expect(await ask<object>("questions", "set", file)).toEqual([first]);
    expect(await ask<object>("questions", "list")).toEqual([first]);
    const ada = await (await new Person(service).signIn()).signUp();
    expect((await ada.call("GET", "/source-of-funds")).body).toMatchObject([{ question: first?.question }]);
    writeFileSync(file, JSON.stringify([{ question: "Do you?", answers: [{ text: "No", risk: "red" }] }]));
    expect(await cli("questions", "set", file)).toEqual({
      code: 1,
      out: "",
      err: "cardkeep: 0.answers: the first answer of a question has to pass\n",
    });
    writeFileSync(file, "{");
    expect((await cli("questions", "set", file)).code).toBe(2);
    const readers = [
      [["questions", "set"], 2],
      [["users", "erase-again"], 2],
      [["rates", "import"], 1],
    ] as const;
    for (const [words, code] of readers)
      expect(await cli(...words, join(folder, "none"))).toEqual({
        code,
        out: "",
        err: `cardkeep: ${join(folder, "none")} cannot be read: there is no such file\n`,
      });
    // Some editors begin a file with a byte order mark.
    writeFileSync(file, `\uFEFF${JSON.stringify(before)}`);
    await ask("questions", "set", file);
    rmSync(folder, { recursive: true });
  });

  test("with a high risk need the operator's final decision", async () => {
    const ada = await (await new Person(service).signIn()).signUp();
    const { body: asked } = await ada.call("GET", "/source-of-funds");
    const pick = (at: number) =>
      asked.map(({ question, answers }: { question: string; answers: string[] }) => ({
        question,
        answer: answers.at(at),
      }));
    await ada.call("POST", "/source-of-funds", pick(-1));
    await ada.call("POST", "/source-of-funds", pick(0));
    const id = ada.userId ?? "";
    expect(await ask<object>("users", "show", id)).toMatchObject({ sourceOfFundsRisk: "red" });
    expect(await ask<object>("users", "risk", id, "green")).toMatchObject({ sourceOfFundsRisk: "green" });
    expect((await cli("users", "show", id)).out).toMatch(/^Funds {2,}green$/m);
    expect((await cli("users", "risk", id, "purple")).code).toBe(2);
  });
});

describe("jobs", () => {
  test("a failed one is listed with its error, never with secrets, and runs again after a retry", async () => {
    const { db } = service.runtime;
    await db.execute(sql`delete from graphile_worker._private_jobs`);
    await enqueue(db, "relay.confirm", { relayTransactionId: "none", requestId: "request-1" });
    await enqueue(db, "safe.deploy", { safeId: "none", requestId: "request-2" });
    await db.execute(sql`
      update graphile_worker._private_jobs set attempts = max_attempts, run_at = now() - interval '2 hours',
        last_error = ${"Failed query: select 1\nparams: ada@example.org,0x1234"} where key like 'relay%'`);
    await db.execute(sql`
      update graphile_worker._private_jobs set run_at = now() - interval '10 minutes' where key like 'safe%'`);
    interface Job {
      id: string;
      state: string;
    }
    const failed = await ask<Job[]>("jobs", "list", "--failed");
    expect(failed).toMatchObject([
      { task: "relay.confirm", state: "failed", subjectId: "none", requestId: "request-1" },
    ]);
    const [{ id } = { id: "" }] = failed;
    const { out } = await cli("jobs", "show", id);
    expect(out).toMatch(/^Attempts {2,}25 of 25$/m);
    expect(out).toMatch(/^Last error {2}Failed query: select 1\n +params: not shown$/m);
    expect(JSON.stringify(failed)).not.toContain("ada@example.org");
    expect((await cli("jobs", "counts")).out).toMatch(
      /relay\.confirm +failed +1 +2 h\nsafe\.deploy +waiting +1 +10 min\nThe oldest waiting job could have run 10 min ago\./,
    );
    expect((await ask<{ oldestWaitingSeconds: number }>("jobs", "counts")).oldestWaitingSeconds).toBeWithin(599, 700);
    expect(await ask<Job>("jobs", "retry", id)).toMatchObject({ id, state: "waiting", attempts: 0 });
    expect(await ask<Job[]>("jobs", "list", "--failed")).toEqual([]);
    const runtime = await createRuntime(readSettings(service.env), "worker");
    const worker = await startWorker(runtime);
    await until(async () => (await listJobs(service.runtime.services, { limit: 50 })).every((job) => job.id !== id));
    await worker.stop();
    await runtime.close();
    for (const unknown of [id, "0", "-1", "abc", "99999999999999999999"]) {
      const misuse = retryJob(operatorOf(service.runtime), { id: unknown });
      expect([unknown, await misuse.catch((error: unknown) => error)]).toMatchObject([
        unknown,
        { code: "jobs.not_found" },
      ]);
    }
    expect(await cli("jobs", "retry", id)).toEqual({
      code: 1,
      out: "",
      err: "cardkeep: There is no such job; one that succeeded is deleted. `cardkeep jobs list` lists what there is\n",
    });
    await enqueue(db, "relay.confirm", { relayTransactionId: "later", requestId: "request-4" });
    await db.execute(sql`
      update graphile_worker._private_jobs set attempts = max_attempts where key = 'relay.confirm:later'`);
    expect(await ask<object>("jobs", "retry-failed")).toEqual({ retried: 1 });
    expect(await ask<object>("jobs", "retry-failed")).toEqual({ retried: 0 });
  });

  test("a running one is left alone", async () => {
    const { db } = service.runtime;
    await enqueue(db, "relay.confirm", { relayTransactionId: "busy", requestId: "request-3" });
    await db.execute(sql`
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a test' where key = 'relay.confirm:busy'`);
    const [job] = await ask<{ id: string }[]>("jobs", "list", "--running");
    expect(await cli("jobs", "retry", job?.id ?? "")).toEqual({
      code: 1,
      out: "",
      err: "cardkeep: The job is running\n",
    });
  });
});
