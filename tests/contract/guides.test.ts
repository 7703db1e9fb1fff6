import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listUnknownNames } from "../support/guideNames.ts";
import {
  type Block,
  findAnswer,
  type Guide,
  guides,
  hasInterpreter,
  languages,
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
beforeAll(async () => {
  service = await startService();
  // Some samples sign in, and the host of a message is that of its address.
  const toLocalhost = (url: string) => url.replace("127.0.0.1", "localhost");
  addresses = [
    ["http://localhost:3000", toLocalhost(service.url)],
    ["http://localhost:3001", toLocalhost(service.sandboxUrl)],
    ["http://127.0.0.1:8545", service.rpcUrl],
  ];
  const [person] = listRunnable(guideOf("quick-start"), "sh");
  if (person) await runShell(person);
}, 60_000);
afterAll(() => service.stop());

function guideOf(slug: string): Guide {
  const found = guides.find((guide) => guide.slug === slug);
  if (!found) throw new Error(`There is no guide ${slug}`);
  return found;
}

const reach = (block: Block): Block => ({
  ...block,
  code: addresses.reduce((code, [shown, real]) => code.replaceAll(shown, real), block.code),
});

/** Runs a block of `sh`, and exports the keys of its answer that later samples read. */
async function runShell(block: Block): Promise<string> {
  const [out = ""] = await runBlocks("sh", [reach(block)], env);
  if (!out.startsWith("{")) return out;
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

/** The form of a JSON value: its fields and their types, without the values. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, formOf(field)]));
  return typeof value;
}

function expectAnswer(guide: Guide, block: Block, out: string): void {
  const answer = findAnswer(guide, block);
  if (answer !== null) expect(formOf(JSON.parse(out))).toEqual(formOf(JSON.parse(answer)) as object);
}

/** The routes of the sandbox, as its console lists them. */
async function listSandboxRoutes(): Promise<Set<string>> {
  const text = (await (await fetch(service.sandboxUrl)).text()).replaceAll(/<[^>]+>/g, "");
  return new Set([...text.matchAll(/(?:GET|POST|PUT|PATCH|DELETE) \/[\w/{}-]*/g)].map(([route]) => route));
}

const entries = guides.map((guide) => [guide.slug, guide] as const);

describe.each(entries)("the guide %s", (_, guide) => {
  for (const language of languages) {
    const blocks = listRunnable(guide, language);
    if (blocks.length === 0) continue;
    test.skipIf(!hasInterpreter(language))(
      `runs in ${language}, and shows the answers that it gets`,
      async () => {
        if (language === "sh") {
          for (const block of blocks) expectAnswer(guide, block, await runShell(block));
        } else {
          const outs = await runBlocks(language, blocks.map(reach), env);
          for (const [index, block] of blocks.entries()) expectAnswer(guide, block, outs[index] ?? "");
        }
      },
      60_000,
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
