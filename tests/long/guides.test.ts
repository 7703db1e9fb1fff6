import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createWebhookKeys } from "@cardkeep/providers/webhooks/sign";
import { sql } from "drizzle-orm";
import { generateKeyPairSync } from "node:crypto";
import { createElements } from "@cardkeep/sandbox/elements/app";
import { filled } from "../support/filled.ts";
import { listUnknownNames } from "../support/guideNames.ts";
import {
  type Block,
  findAnswer,
  type Guide,
  guides,
  hasInterpreter,
  isOfTestingPage,
  languages,
  listAnswers,
  listGuideFiles,
  listRunnable,
  runBlocks,
} from "../support/guides.ts";
import { listLongSentences, listUnnamedSubjects } from "../support/prose.ts";
import { type Service, startService } from "../support/service.ts";

/** What the guides name as addresses of a running `bun start`, by the addresses of the test's service. */
let addresses: [shown: string, real: string][];
/** The values that readers export from the answers of earlier samples. */
const env: Record<string, string> = {};

let service: Service;
let elements: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  // A busy machine may decide about a card late.
  service = await startService();
  elements = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: createElements(service.runtime).fetch });
  // Some samples sign in, and the host of a message is that of its address.
  const toLocalhost = (url: string) => url.replace("127.0.0.1", "localhost");
  addresses = [
    ["http://localhost:3000", toLocalhost(service.url)],
    ["http://localhost:3001", toLocalhost(service.sandboxUrl)],
    ["http://localhost:3002", `http://localhost:${elements.port}`],
    ["http://127.0.0.1:8545", service.rpcUrl],
  ];
}, 60_000);
afterAll(async () => {
  await elements.stop(true);
  await service.stop();
});

const reach = (block: Block): Block => ({
  ...block,
  code: addresses.reduce((code, [shown, real]) => code.replaceAll(shown, real), block.code),
});

/** Runs a block of `sh`, and exports the keys of its answer that later samples read. */
async function runShell(guide: Guide, block: Block): Promise<string> {
  const [out = ""] = await runBlocks("sh", [reach(block)], env);
  if (!out.startsWith("{") || findAnswer(guide, block) === null) return out;
  const { token, cards: [card] = [], iban, apiKey, webhookSecret } = JSON.parse(out);
  const exported = {
    TOKEN: token,
    CARD_ID: card?.id,
    CARD_TOKEN: card?.cardToken,
    IBAN: iban,
    PARTNER_KEY: apiKey,
    WEBHOOK_SECRET: webhookSecret,
  };
  for (const [name, value] of Object.entries(exported)) if (typeof value === "string") env[name] = value;
  return out;
}

/** Of a JSON value what is the same in each run: its fields, their types, and the values that are flags or codes. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, formOf(field)]));
  return typeof value === "boolean" || /^[a-z]+([._][a-z]+)+$/.test(String(value)) ? value : typeof value;
}

function expectAnswer(guide: Guide, block: Block, out: string): void {
  const answer = findAnswer(guide, block);
  if (answer?.language === "json") expect(formOf(JSON.parse(out))).toEqual(formOf(JSON.parse(answer.code)));
  // Lines of a text stand in the output, in any order.
  if (answer?.language === "text") expect(answer.code.split("\n").filter((line) => !out.includes(line))).toEqual([]);
}

/** The routes of the sandbox, as its console lists them. */
async function listSandboxRoutes(): Promise<Set<string>> {
  const text = (await (await fetch(service.sandboxUrl)).text()).replaceAll(/<[^>]+>/g, "");
  return new Set([...text.matchAll(/(?:GET|POST|PUT|PATCH|DELETE) \/[\w/{}-]*/g)].map(([route]) => route));
}

test("every guide of the folder is here, and runs something", () => {
  expect(guides.map(({ slug }) => `${slug}.md`).toSorted()).toEqual(listGuideFiles().toSorted());
  // The list of guides shows a summary as text.
  expect(guides.filter(({ text }) => /^# .+\n\n(?:[^\n]+\n)*[^\n]*\]\(/.test(text)).map(({ slug }) => slug)).toEqual(
    [],
  );
  for (const guide of guides) expect(languages.flatMap((each) => listRunnable(guide, each)).length).toBeGreaterThan(0);
});

test("every answer of a guide is one of a program that runs, and most programs show theirs", () => {
  const shown = guides.flatMap((guide) =>
    languages.flatMap((language) => listRunnable(guide, language)).flatMap((block) => findAnswer(guide, block) ?? []),
  );
  expect(guides.flatMap(listAnswers).filter((answer) => !shown.includes(answer))).toEqual([]);
  expect(shown.length).toBeGreaterThanOrEqual(35);
});

test("a program that starts an instance of its own is an example of the package's page, where another test runs it", async () => {
  const page = await Bun.file(new URL("../../packages/testing/README.md", import.meta.url)).text();
  for (const { code } of filled(guides.flatMap(({ blocks }) => blocks.filter(isOfTestingPage))))
    expect(page).toContain(code);
});

const clientPage = await Bun.file(new URL("../../packages/client/README.md", import.meta.url)).text();

test("no sample ends a list by its count, which is not that of all lines behind 5,000", () => {
  const texts = [...guides.map(({ slug, text }) => [slug, text] as const), ["client", clientPage] as const];
  const reading = texts.filter(([, text]) => text.includes("transactions.list.query("));
  expect(reading.map(([name]) => name)).toEqual(expect.arrayContaining(["pagination", "client"]));
  const bounded = /\bcount\b[^}\n]*\} = await|[<>]=? count\b/;
  expect(texts.filter(([, text]) => bounded.test(text)).map(([name]) => name)).toEqual([]);
});

const entries = guides.map((guide) => [guide.slug, guide] as const);

describe.each(entries)("the guide %s", (_, guide) => {
  for (const language of languages) {
    const blocks = listRunnable(guide, language);
    if (blocks.length === 0) continue;
    test.skipIf(!hasInterpreter(language))(
      `runs in ${language}, and shows the answers that it gets`,
      async () => {
        if (language === "sh") {
          for (const block of filled(blocks)) expectAnswer(guide, block, await runShell(guide, block));
        } else {
          const outs = await runBlocks(language, blocks.map(reach), env);
          for (const [index, block] of filled(blocks.entries())) expectAnswer(guide, block, outs[index] ?? "");
        }
      },
      { timeout: 60_000 },
    );
  }

  test("names only routes, codes, events, settings and commands that exist", async () => {
    expect(listUnknownNames(guide, await listSandboxRoutes())).toEqual([]);
  });

  test("is plain English, and begins with its title and what it is for", () => {
    expect([...listUnnamedSubjects(guide.text), ...listLongSentences(guide.text)]).toEqual([]);
    expect(guide.text).toMatch(/^# [^\n]+\n\n[A-Z][^#`|]/);
  });
});

describe("the samples of Verify", () => {
  const secret = `whsec_${Buffer.from("a secret of this test").toString("base64")}`;
  const makeKeys = (kid: string) =>
    createWebhookKeys([{ ...generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }), kid }]);
  const keys = makeKeys("second");
  const body = JSON.stringify({ eventType: "kyc.status.changed", data: {} });

  /** What a sample prints about one delivery, whose key is the second of the service's. */
  async function verifyAged(language: "python" | "go", ageSeconds: number): Promise<unknown> {
    const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
    const headers = keys.buildHeaders({ id: "evt_1", sequence: 1n, timestamp, body, secrets: [secret] });
    const stand = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      routes: {
        "/inbox/shop": Response.json([{ headers, body }]),
        "/api/v1/webhooks/jwks.json": Response.json({ keys: [...makeKeys("first").publicKeys, ...keys.publicKeys] }),
      },
    });
    try {
      const blocks = guides.filter(({ slug }) => slug === "webhooks").flatMap((guide) => listRunnable(guide, language));
      const reached = filled(blocks).map((block) => ({
        ...block,
        code: block.code.replaceAll(/http:\/\/localhost:300[01]/g, `http://127.0.0.1:${stand.port}`),
      }));
      const [out = ""] = await runBlocks(language, reached, { WEBHOOK_SECRET: secret });
      return JSON.parse(out).verified;
    } finally {
      await stand.stop(true);
    }
  }

  for (const language of ["python", "go"] as const)
    test.skipIf(!hasInterpreter(language))(
      `in ${language} refuse a delivery of ten minutes ago, and know every key`,
      async () => {
        expect(await verifyAged(language, 0)).toBe(true);
        expect(await verifyAged(language, 600)).toBe(false);
      },
      { timeout: 60_000 },
    );
});

describe("the guide programme", () => {
  /** Its rows of gas, by the purpose of a relay transaction. */
  const acts = {
    "safe.deploy": "a Safe with its modules",
    "card.spend": "a card payment",
    "delay.enqueue": "a withdrawal, queued",
    "delay.dispatch": "a withdrawal, executed",
  };
  const page = guides.find(({ slug }) => slug === "programme")?.text ?? "";
  const readRow = (act: string): number[] => {
    const [, cells = ""] = new RegExp(`^\\| ${act} \\|(.*)\\|$`, "m").exec(page) ?? [];
    return cells.split("|").map((cell) => Number(cell.replaceAll(",", "")));
  };

  test("has the gas that the chain's receipts have, within a twentieth", async () => {
    const rows = await service.runtime.db.execute<{ purpose: keyof typeof acts; hash: string }>(sql`
      select t.purpose, t.mined_hash as hash from relay_transactions t where t.mined_hash is not null
        and (select count(*) from relay_subjects s where s.relay_transaction_id = t.id) = 1`);
    const readReceipt = async (hash: string): Promise<{ gasUsed: string; status: string }> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionReceipt", params: [hash] });
      const headers = { "Content-Type": "application/json" };
      return (await (await fetch(service.rpcUrl, { method: "POST", headers, body })).json()).result;
    };
    const seen = new Set<string>();
    for (const { purpose, hash } of filled(rows)) {
      if (!(purpose in acts)) continue;
      const { gasUsed, status } = await readReceipt(hash);
      const [first = 0, later = 0] = readRow(acts[purpose]);
      if (status === "0x1")
        expect([purpose, Number(gasUsed), Number(gasUsed) > later * 0.95 && Number(gasUsed) < first * 1.05]).toEqual([
          purpose,
          Number(gasUsed),
          true,
        ]);
      seen.add(purpose);
    }
    expect([...seen]).toEqual(expect.arrayContaining(["safe.deploy", "card.spend", "delay.enqueue"]));
  });

  test("adds gas up as it says", () => {
    const [pays, queues, executes] = ["a card payment", "a withdrawal, queued", "a withdrawal, executed"].map(
      (act) => readRow(act)[1] ?? 0,
    );
    const month = 45 * (pays ?? 0) + (queues ?? 0) + (executes ?? 0);
    for (const cards of [1_000, 100_000, 1_000_000])
      expect(readRow(cards.toLocaleString("en"))[0]).toBeCloseTo((month * cards) / 1e6, -3);
    expect(page).toContain(`${(month / 1e6).toFixed(1)} million gas a month`);
  });
});
