/** Profiles of people at the institution. */
import { findApplicant } from "@cardkeep/db/sandbox/applicants";
import { insertEmoneyRecord, putEmoneyRecord, takeEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { findUser } from "@cardkeep/db/queries/users/users";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { readPerson } from "../kyc/kycApplicant.ts";
import { accepted, answer, Refusal } from "./answers.ts";
import type { Caller } from "./auth.ts";
import { listUsable, showProfile } from "./lists.ts";
import { notifyLater } from "./notify.ts";
import { findProfile, findProfileOf, mayUse } from "./state.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const profileBody = z.object({ id: z.uuid().default(() => randomUUID()), kind: z.literal("personal") });
const shareBody = z.object({ provider: z.literal("sumsub"), personal: z.object({ token: z.string() }) });

/** Answers `GET /auth/context`: the app or the person of the token. */
export async function showContext(runtime: SandboxRuntime, caller: Caller): Promise<Response> {
  const usable = await listUsable(runtime, caller);
  const profiles = usable.map((profile) => ({ ...showProfile(profile), perms: ["read", "write"] }));
  const method = caller.profile === null ? "apiKey" : "bearer";
  const subject = caller.holder ?? runtime.settings.emoney.clientId;
  return answer(200, {
    userId: caller.profile ?? runtime.settings.emoney.clientId,
    email: caller.holder ?? "",
    name: profiles[0]?.name ?? "",
    roles: null,
    auth: { method, subject, verified: true },
    defaultProfile: caller.profile ?? "",
    profiles: caller.profile === null ? profiles : profiles.filter(({ id }) => id === caller.profile),
  });
}

/** Answers `GET /profiles/{id}`. @throws Refusal */
export async function showOne(runtime: SandboxRuntime, caller: Caller, id: string): Promise<Response> {
  const found = await findProfile(runtime, id);
  if (!found) throw new Refusal(404, "Profile not found");
  if (!(await mayUse(runtime, caller, id))) throw new Refusal(403, "Not yours");
  const state = found.state === "approved" ? "approved" : "incomplete";
  const kinds = ["idDocument", "facialSimilarity", "proofOfResidency"];
  const verifications = kinds.map((kind) => ({ kind, state }));
  return answer(200, { ...showProfile(found), details: { state }, form: { state }, verifications });
}

/** Answers `POST /profiles`. @throws Refusal */
export async function makeProfile(runtime: SandboxRuntime, body: unknown): Promise<Response> {
  const { id } = profileBody.parse(body);
  const data = { state: "created", holder: null, own: false };
  const isNew = await insertEmoneyRecord(runtime.store, { kind: "profile", id, data });
  if (!isNew) throw new Refusal(409, "Profile already exists");
  return answer(201, { id, kind: "personal", name: "", state: "created" });
}

/** Answers `POST /profiles/{id}/share`: the token of the identity provider identifies the person; it is valid once. @throws Refusal */
export async function share(runtime: SandboxRuntime, caller: Caller, id: string, body: unknown): Promise<Response> {
  const { personal } = shareBody.parse(body);
  const found = await findProfile(runtime, id);
  if (!found || !(await mayUse(runtime, caller, id))) throw new Refusal(404, "Profile not found");
  if (found.state !== "created") throw new Refusal(409, "Profile is approved");
  const shared = await takeEmoneyRecord(runtime.store, "shareToken", personal.token);
  const isValid = shared !== null && Number(shared.data["until"]) > Date.now();
  const applicant = isValid ? await findApplicant(runtime.store, String(shared.data["applicantId"])) : null;
  const person = applicant && (await findUser(runtime.db, applicant.externalUserId));
  if (!person) throw new Refusal(400, "The token is unknown");
  const holder = person.email.toLowerCase();
  if (await findProfileOf(runtime, holder)) throw new Refusal(409, "Profile already exists");
  const { firstName = "", lastName = "", country = "DE" } = readPerson(applicant);
  const approved = { ...found, state: "approved", holder, name: `${firstName} ${lastName}`.trim(), country };
  await putEmoneyRecord(runtime.store, { kind: "profile", id, data: approved });
  notifyLater(runtime, "profile.updated", showProfile(approved));
  return accepted();
}
