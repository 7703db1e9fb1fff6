/** Addresses that are linked to a profile, and their IBANs. */
import { address } from "@cardkeep/contract/core/primitives";
import { findEmoneyRecord, insertEmoneyRecord, putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { z } from "zod";
import { accepted, answer, Refusal } from "./answers.ts";
import type { Caller } from "./auth.ts";
import { notifyLater } from "./notify.ts";
import { readTime } from "./orderBook.ts";
import { isOwnersSignature } from "./ownership.ts";
import { findIban, findProfile, generateIban, mayUse } from "./state.ts";
import { showProfile } from "./lists.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const declaration = "I hereby declare that I am the address owner.";

const chainName = z.string().min(1);
const addressBody = z.object({
  profile: z.string().optional(),
  address,
  chain: chainName,
  message: z.literal(declaration),
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2})+$/, "must be a signature; signatures on chain are not supported here"),
});
const ibanBody = z.object({ address, chain: chainName });

export const linkId = (account: string, chain: string): string => `${account}@${chain}`;

/** The profile of a linked address. @throws Refusal 403 unless the caller may use it */
export async function requireLink(
  runtime: SandboxRuntime,
  caller: Caller,
  account: string,
  chain: string,
): Promise<string> {
  const profile = (await findEmoneyRecord(runtime.store, "address", linkId(account, chain)))?.profile ?? null;
  if (profile === null || !(await mayUse(runtime, caller, profile)))
    throw new Refusal(403, "The address is not linked");
  return profile;
}

/** Answers `POST /addresses`. @throws Refusal */
export async function linkAddress(runtime: SandboxRuntime, caller: Caller, body: unknown): Promise<Response> {
  const link = addressBody.parse(body);
  const { address: account, chain, profile = caller.profile ?? "" } = link;
  const known = await findProfile(runtime, profile);
  if (!known || !(await mayUse(runtime, caller, profile))) throw new Refusal(403, "Not yours");
  if (known.state !== "approved") throw new Refusal(403, "Profile is not approved");
  if (!(await isOwnersSignature(runtime, link)))
    throw new Refusal(400, "Invalid signature", { signature: "is not an owner's" });
  const id = linkId(account, chain);
  const owned = await findEmoneyRecord(runtime.store, "address", id);
  if (owned && owned.profile !== profile) throw new Refusal(400, "The address belongs to another profile");
  await putEmoneyRecord(runtime.store, { kind: "address", id, profile, data: { address: account, chain } });
  const meta = { linkedBy: caller.profile ?? profile, linkedAt: await readTime(runtime) };
  return answer(201, { profile, address: account, chains: [chain], state: "linked", meta });
}

/** Answers `POST /ibans`; the callback `iban.updated` brings the IBAN. @throws Refusal */
export async function assignIban(runtime: SandboxRuntime, caller: Caller, body: unknown): Promise<Response> {
  const { address: account, chain } = ibanBody.parse(body);
  const profile = await requireLink(runtime, caller, account, chain);
  const isNew = await insertEmoneyRecord(runtime.store, {
    kind: "ibanOf",
    id: linkId(account, chain),
    profile,
    data: {},
  });
  if (!isNew) return new Response(null, { status: 304 });
  const holder = await findProfile(runtime, profile);
  const name = holder === null ? "" : showProfile(holder).name;
  const data = { ...generateIban(holder?.country ?? "DE"), name, profile, address: account, chain };
  await putEmoneyRecord(runtime.store, { kind: "iban", id: data.iban, profile, data });
  notifyLater(runtime, "iban.updated", data);
  return accepted();
}

/**
 * Answers `PATCH /ibans/{iban}`: the IBAN's money then arrives at another linked address of the same profile.
 * @throws Refusal
 */
export async function moveIban(
  runtime: SandboxRuntime,
  caller: Caller,
  text: string,
  body: unknown,
): Promise<Response> {
  const { address: account, chain } = ibanBody.parse(body);
  const known = await findIban(runtime, text);
  if (!known || !(await mayUse(runtime, caller, known.profile))) throw new Refusal(404, "IBAN not found");
  const profile = await requireLink(runtime, caller, account, chain);
  if (profile !== known.profile) throw new Refusal(403, "The address belongs to another profile");
  const data = { ...known, address: account, chain };
  await putEmoneyRecord(runtime.store, { kind: "iban", id: known.iban, profile, data });
  notifyLater(runtime, "iban.updated", data);
  return answer(200, data);
}
