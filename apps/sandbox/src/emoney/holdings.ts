/** Tokens, balances of addresses, and supporting documents of large orders. */
import { toDecimal } from "@cardkeep/chain/tokens";
import { address } from "@cardkeep/contract/core/primitives";
import { putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { createHash, randomUUID } from "node:crypto";
import { erc20Abi } from "viem";
import { z } from "zod";
import { connectNode } from "../core/minter.ts";
import { answer, Refusal } from "./answers.ts";
import type { Caller } from "./auth.ts";
import { requireLink } from "./links.ts";
import { issuedTokens, readTime } from "./orderBook.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const fileBytesMax = 5 * 1024 * 1024;
const fileTypes = ["application/pdf", "image/jpeg"];

const issued = Object.entries(issuedTokens);

/** Answers `GET /tokens`, without an access token. */
export const listTokens = (): Response =>
  answer(
    200,
    issued.map(([currency, { symbol, fiat, address: contract, decimals }]) => {
      return { currency, ticker: fiat, symbol, chain: "gnosis", address: contract, decimals };
    }) as object,
  );

const balanceQuery = z.object({ account: address, currencies: z.array(z.enum(["eur", "gbp", "usd", "isk"])) });

/** Answers `GET /balances/{chain}/{address}`. @throws Refusal */
export async function showBalances(
  runtime: SandboxRuntime,
  caller: Caller,
  place: { chain: string; account: string; currencies: string[] },
): Promise<Response> {
  const { account, currencies } = balanceQuery.parse(place);
  await requireLink(runtime, caller, account, place.chain);
  const node = connectNode(runtime);
  const wanted = issued.filter(([currency]) => currencies.length === 0 || currencies.some((each) => each === currency));
  const balances = wanted.map(async ([currency, token]) => {
    const asked = { address: token.address, abi: erc20Abi, functionName: "balanceOf", args: [account] } as const;
    return { currency, amount: toDecimal(await node.readContract(asked), token) };
  });
  return answer(200, { address: account, chain: place.chain, balances: await Promise.all(balances) });
}

/** Answers `POST /files`, a form of several parts. @throws Refusal */
export async function keepFile(runtime: SandboxRuntime, caller: Caller, request: Request): Promise<Response> {
  const form = await request.formData().catch(() => null);
  const file = form?.get("file");
  if (!(file instanceof File)) throw new Refusal(400, "The file is missing", { file: "is missing" });
  if (!fileTypes.includes(file.type)) throw new Refusal(400, "Invalid file", { file: "must be PDF or JPEG" });
  if (file.size > fileBytesMax) throw new Refusal(400, "Invalid file", { file: "must be at most 5 MB" });
  const at = await readTime(runtime);
  const data = {
    id: randomUUID(),
    name: file.name,
    type: file.type,
    size: file.size,
    hash: createHash("sha256")
      .update(await file.bytes())
      .digest("hex"),
    meta: { uploadedBy: caller.profile ?? runtime.settings.emoney.clientId, createdAt: at, updatedAt: at },
  };
  await putEmoneyRecord(runtime.store, { kind: "file", id: data.id, profile: caller.profile, data });
  return answer(200, data);
}
