/** The e-money institution's API, version 2, as it serves it below `/emoney/api`. Source: docs.monerium.com. */
import { address } from "@cardkeep/contract/primitives";
import { parseJsonText } from "@cardkeep/contract/text";
import {
  findApplicant,
  findEmoneyRecord,
  insertEmoneyRecord,
  putEmoneyRecord,
  takeEmoneyRecord,
} from "@cardkeep/db/queries/sandbox";
import { findUser } from "@cardkeep/db/queries/users";
import type { Runtime } from "@cardkeep/runtime/compose";
import { z } from "zod";
import { readPerson } from "../kycApplicant.ts";
import { readText } from "../read.ts";
import { authenticate, type Caller, grantToken } from "./auth.ts";
import { answerList, showProfile } from "./lists.ts";
import { listSubscriptions, notifyLater, notifyOne, subscription } from "./notify.ts";
import { isOwnersSignature } from "./ownership.ts";
import { findProfile, findProfileOf, generateIban } from "./state.ts";

export const apiPrefix = "/emoney/api";
const mediaType = "application/vnd.monerium.api-v2+json";
const declaration = "I hereby declare that I am the address owner.";

const profileBody = z.object({ id: z.uuid(), kind: z.literal("personal") });
const shareBody = z.object({ provider: z.literal("sumsub"), personal: z.object({ token: z.string() }) });
const chainName = z.string().min(1);
const addressBody = z.object({
  profile: z.string(),
  address,
  chain: chainName,
  message: z.literal(declaration),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2})+$/),
});
const ibanBody = z.object({ address, chain: chainName });
const subscriptionBody = subscription.omit({ id: true, state: true }).extend({
  secret: z.string().regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/),
});

const answer = (status: number, body: object): Response => Response.json(body, { status });
const refuse = (code: number, message: string): Response => answer(code, { code, status: "Error", message });
const accepted = () => answer(202, { code: 202, status: "Accepted" });

/** Answers one request to the institution. */
export async function answerEmoneyApi(runtime: Runtime, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const path = url.pathname.slice(apiPrefix.length);
  const text = await readText(request);
  if (request.headers.get("accept") !== mediaType) return refuse(406, "Name the version that you speak");
  if (request.method === "POST" && path === "/auth/token") return grantToken(runtime, text);
  const caller = await authenticate(runtime, request);
  if (!caller) return refuse(401, "Not authenticated");
  try {
    const body: unknown = text === "" ? {} : parseJsonText(text);
    return (
      (await route(runtime, caller, `${request.method} ${path}`, body, url.searchParams)) ?? refuse(404, "Not found")
    );
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) return refuse(400, "The body makes no sense");
    throw error;
  }
}

async function route(
  runtime: Runtime,
  caller: Caller,
  what: string,
  body: unknown,
  query: URLSearchParams,
): Promise<Response | null> {
  const [, shared = ""] = /^POST \/profiles\/([^/]+)\/share$/.exec(what) ?? [];
  if (shared !== "") return share(runtime, caller, shared, body);
  const [, id = ""] = /^GET \/profiles\/([^/]+)$/.exec(what) ?? [];
  if (id !== "") return findOne(runtime, caller, id);
  const [, path = ""] = /^GET (.+)$/.exec(what) ?? [];
  const wanted = query.get("profile");
  const listed = await answerList(runtime, caller, path, query);
  if (listed !== undefined && wanted !== null && !(await mayUse(runtime, caller, wanted)))
    return refuse(403, "Not yours");
  if (listed !== undefined) return listed === null ? refuse(404, "Not found") : answer(200, listed);
  switch (what) {
    case "GET /auth/context":
      return caller.holder === null
        ? refuse(403, "An app has no profile")
        : answer(200, { email: caller.holder, defaultProfile: caller.profile, profiles: [{ id: caller.profile }] });
    case "POST /profiles":
      return makeProfile(runtime, caller, body);
    case "POST /addresses":
      return linkAddress(runtime, caller, body);
    case "POST /ibans":
      return assignIban(runtime, caller, body);
    case "GET /webhooks":
      return answer(200, { subscriptions: (await listSubscriptions(runtime)).map(({ secret: _, ...shown }) => shown) });
    case "POST /webhooks":
      return subscribe(runtime, body);
    default:
      return null;
  }
}

/** An app may use the profiles that it created; a person may use their own. */
async function mayUse(runtime: Runtime, caller: Caller, profileId: string): Promise<boolean> {
  if (caller.profile !== null) return caller.profile === profileId;
  return (await findProfile(runtime, profileId))?.own === false;
}

async function findOne(runtime: Runtime, caller: Caller, id: string): Promise<Response> {
  const found = await findProfile(runtime, id);
  if (!found) return refuse(404, "Profile not found");
  if (!(await mayUse(runtime, caller, id))) return refuse(403, "Not yours");
  return answer(200, showProfile(found));
}

async function makeProfile(runtime: Runtime, _caller: Caller, body: unknown): Promise<Response> {
  const { id } = profileBody.parse(body);
  const data = { state: "created", holder: null, own: false };
  const isNew = await insertEmoneyRecord(runtime.db, { kind: "profile", id, data });
  return isNew
    ? answer(201, { id, kind: "personal", name: "", state: "created" })
    : refuse(409, "Profile already exists");
}

/** The token of the identity provider identifies the person; it is valid once. */
async function share(runtime: Runtime, caller: Caller, id: string, body: unknown): Promise<Response> {
  const { personal } = shareBody.parse(body);
  const found = await findProfile(runtime, id);
  if (!found || !(await mayUse(runtime, caller, id))) return refuse(404, "Profile not found");
  if (found.state !== "created") return refuse(409, "Profile is approved");
  const shared = await takeEmoneyRecord(runtime.db, "shareToken", personal.token);
  const applicant = shared && (await findApplicant(runtime.db, String(shared.data["applicantId"])));
  const person = applicant && (await findUser(runtime.db, applicant.externalUserId));
  if (!person) return refuse(400, "The token is unknown");
  const holder = person.email.toLowerCase();
  if (await findProfileOf(runtime, holder)) return refuse(409, "Profile already exists");
  const { firstName = "", lastName = "", country = "DE" } = readPerson(applicant);
  const approved = { ...found, state: "approved", holder, name: `${firstName} ${lastName}`.trim(), country };
  await putEmoneyRecord(runtime.db, { kind: "profile", id, data: approved });
  notifyLater(runtime, "profile.updated", showProfile(approved));
  return accepted();
}

const linkId = (account: string, chain: string): string => `${account}@${chain}`;

async function linkAddress(runtime: Runtime, caller: Caller, body: unknown): Promise<Response> {
  const link = addressBody.parse(body);
  if (!(await mayUse(runtime, caller, link.profile))) return refuse(403, "Not yours");
  if ((await findProfile(runtime, link.profile))?.state !== "approved") return refuse(403, "Profile is not approved");
  if (!(await isOwnersSignature(runtime, link))) return refuse(400, "Invalid signature");
  const { profile, address: account, chain } = link;
  const id = linkId(account, chain);
  const known = await findEmoneyRecord(runtime.db, "address", id);
  if (known && known.profile !== profile) return refuse(400, "The address belongs to another profile");
  await putEmoneyRecord(runtime.db, { kind: "address", id, profile, data: { address: account, chain } });
  return answer(201, { profile, address: account, chains: [chain] });
}

async function assignIban(runtime: Runtime, caller: Caller, body: unknown): Promise<Response> {
  const { address: account, chain } = ibanBody.parse(body);
  const link = await findEmoneyRecord(runtime.db, "address", linkId(account, chain));
  const profile = link?.profile ?? null;
  if (profile === null || !(await mayUse(runtime, caller, profile))) return refuse(403, "The address is not linked");
  const isNew = await insertEmoneyRecord(runtime.db, { kind: "ibanOf", id: linkId(account, chain), profile, data: {} });
  if (!isNew) return new Response(null, { status: 304 });
  const holder = await findProfile(runtime, profile);
  const name = holder === null ? "" : showProfile(holder).name;
  const data = { ...generateIban(holder?.country ?? "DE"), name, profile, address: account, chain };
  await putEmoneyRecord(runtime.db, { kind: "iban", id: data.iban, profile, data });
  notifyLater(runtime, "iban.updated", data);
  return accepted();
}

async function subscribe(runtime: Runtime, body: unknown): Promise<Response> {
  const wanted = subscriptionBody.parse(body);
  // One subscription per address, so that a repeated request does not deliver events twice.
  const made = { ...wanted, id: wanted.url, state: "active" };
  await notifyOne(runtime, made, "subscription.created");
  await putEmoneyRecord(runtime.db, { kind: "subscription", id: made.id, data: made });
  const { secret: _, ...shown } = made;
  return answer(201, shown);
}
