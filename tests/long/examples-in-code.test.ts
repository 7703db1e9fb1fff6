import { beforeAll, describe, expect, test } from "bun:test";
import * as client from "@cardkeep/client";
import * as testing from "@cardkeep/testing";
import { readdirSync, readFileSync } from "node:fs";
import { filled } from "../support/filled.ts";
import { until } from "../support/poll.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

const root = new URL("../../packages/", import.meta.url).pathname;
const packages: Readonly<Record<string, object>> = { "@cardkeep/client": client, "@cardkeep/testing": testing };

/** What a reader has, beside what an example imports. */
interface Given {
  token: string;
  cardkeep: testing.Cardkeep;
  /** A delivery as it arrives at a partner. */
  request: Request;
}

const readExamples = (folder: string): [name: string, code: string][] =>
  readdirSync(`${root}${folder}/src`).flatMap((file) =>
    [...readFileSync(`${root}${folder}/src/${file}`, "utf8").matchAll(/^ *\* @example\n([^]*?)\*\//gm)].map(
      ([, block = ""], index): [string, string] => [
        `${folder}/${file} ${index + 1}`,
        block.replaceAll(/^ *\* ?/gm, ""),
      ],
    ),
  );

let service: RunningService;
let given: Given;
beforeAll(async () => {
  service = await shareService();
  const { url: api, sandboxUrl: sandbox, rpcUrl: chain } = service;
  const cardkeep = testing.connectCardkeep({ api, sandbox, chain });
  const { id, token } = await cardkeep.person({ balance: 1, card: "virtual" });
  const own = async () => (await cardkeep.deliveries()).find(({ data }) => data["userId"] === id || data["id"] === id);
  await until(async () => (await own()) !== undefined);
  const { headers, body } = (await own()) ?? {};
  const request = new Request(api, { method: "POST", headers: headers ?? {}, body: body ?? "" });
  given = { token, cardkeep, request };
});

/** Runs an example against the service of this process. @throws whatever it throws */
async function run(code: string): Promise<void> {
  const imported: Record<string, unknown> = {};
  const body = code
    .replaceAll(/^import \{ ([^}]+) \} from "([^"]+)";\n/gm, (_line, names: string, from: string) => {
      for (const name of names.split(", ")) {
        const found = Object.entries(packages[from] ?? {}).find(([known]) => known === name);
        if (!found) throw new Error(`${from} has no ${name}`);
        imported[name] = found[1];
      }
      return "";
    })
    .replaceAll("http://localhost:3000", service.url)
    .replaceAll("http://localhost:3001", service.sandboxUrl)
    .replaceAll("http://localhost:8545", service.rpcUrl);
  // What an example makes itself is not given.
  const names = Object.entries({ ...given, ...imported }).filter(([name]) => !body.includes(`const ${name} =`));
  const plain = new Bun.Transpiler({ loader: "ts" }).transformSync(`export async function example() {\n${body}\n}`);
  // oxlint-disable-next-line typescript/no-implied-eval -- an example is text, and is run as it stands
  const build = new Function(...names.map(([name]) => name), `${plain.replace("export ", "")}\nreturn example;`);
  await build(...names.map(([, value]) => value))();
}

describe("an example in the code of a published package", () => {
  test.each(filled([...readExamples("client"), ...readExamples("testing")]))(
    "of %s runs as it stands",
    async (_name, code) => {
      await expect(run(code)).resolves.toBeUndefined();
    },
  );
});
