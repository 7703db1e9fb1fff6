/** The identity provider's API: signed requests in, applicants out. Source: docs.sumsub.com. */
import { findApplicant, findApplicantByUser, type KycApplicant } from "@cardkeep/db/sandbox/applicants";
import { putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { buildApplicantInfo, createApplicant, getApplicant, readPerson } from "./kycApplicant.ts";
import { isTooOften } from "./kycRate.ts";
import { parseJson } from "../core/readBody.ts";
import { SandboxError } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const skewSecondsMax = 60;
/** Lower-case hex, as the provider documents it. */
const signaturePattern = /^[0-9a-f]{64}$/;
const share = z.object({
  applicantId: z.string(),
  forClientId: z.string().min(1),
  ttlInSecs: z.int().positive().default(1_200),
});
/** ISO 639-1. */
const lang = z
  .string()
  .regex(/^[a-z]{2}$/)
  .nullish();
const newApplicant = z.object({ externalUserId: z.string().min(1), lang });
const changedApplicant = z.object({ id: z.string().min(1), lang });
const person = z.object({ userId: z.string().min(1), levelName: z.string().min(1) });

/**
 * Answers a request to the provider's API.
 * @throws SandboxError 401 for a bad signature, 404 for an unknown applicant or path
 */
export async function answerKycApi(runtime: SandboxRuntime, request: Request, body: string): Promise<unknown> {
  const { pathname, search } = new URL(request.url);
  await requireSignature(runtime, request, pathname + search, body);
  if (isTooOften(runtime, request.method)) throw new SandboxError(429, "Too many requests");
  if (request.method === "POST" && pathname === "/resources/accessTokens/sdk") {
    const { userId, levelName } = parse(body);
    requireLevel(runtime, levelName);
    await getApplicant(runtime, userId);
    return { token: `_act-sandbox-${randomUUID()}`, userId };
  }
  if (request.method === "POST" && pathname === "/resources/sdkIntegrations/levels/-/websdkLink") {
    const { userId, levelName } = parse(body);
    requireLevel(runtime, levelName);
    await getApplicant(runtime, userId);
    const language = new URLSearchParams(search).get("lang");
    const query = language === null ? "" : `?lang=${encodeURIComponent(language)}`;
    return { url: `http://localhost:${runtime.settings.sandboxPort}/kyc/flow/${encodeURIComponent(userId)}${query}` };
  }
  if (request.method === "POST" && pathname === "/resources/applicants") {
    const { externalUserId, lang } = parseWith(newApplicant, body);
    requireLevel(runtime, new URLSearchParams(search).get("levelName"));
    const made = await createApplicant(runtime, externalUserId, { lang });
    if (!made) throw new SandboxError(409, `Applicant with external user id '${externalUserId}' already exists`);
    return describe(made);
  }
  if (request.method === "PATCH" && pathname === "/resources/applicants") {
    const { id, lang } = parseWith(changedApplicant, body);
    const known = await findApplicant(runtime.store, id);
    if (!known) throw new SandboxError(404, "Applicant not found");
    return describe(await getApplicant(runtime, known.externalUserId, { lang }));
  }
  if (request.method === "POST" && pathname === "/resources/accessTokens/shareToken") {
    const { applicantId, forClientId, ttlInSecs } = parseShare(body);
    if (!(await findApplicant(runtime.store, applicantId))) throw new SandboxError(404, "Applicant not found");
    const token = `_act-share-${randomUUID()}`;
    const until = Date.now() + ttlInSecs * 1000;
    // The client named in the token reads the person's file with it.
    await putEmoneyRecord(runtime.store, { kind: "shareToken", id: token, data: { applicantId, forClientId, until } });
    return { token, forClientId };
  }
  const [, asked] = /^\/resources\/applicants\/-\/byExternalUserId\/([^/]+)$/.exec(pathname) ?? [];
  if (request.method === "GET" && asked !== undefined) {
    const applicant = await findApplicantByUser(runtime.store, decodeSegment(asked));
    return applicant ? { exists: true, applicant: describe(applicant) } : { exists: false };
  }
  const [, byUser] = /^\/resources\/applicants\/-;externalUserId=([^/]+)\/one$/.exec(pathname) ?? [];
  const [, byId] = /^\/resources\/applicants\/([0-9a-z]{24})\/one$/.exec(pathname) ?? [];
  const found =
    byUser !== undefined
      ? await findApplicantByUser(runtime.store, decodeSegment(byUser))
      : byId !== undefined
        ? await findApplicant(runtime.store, byId)
        : null;
  if (request.method !== "GET" || !found) throw new SandboxError(404, "Applicant not found");
  return describe(found);
}

/** The provider makes no applicant of a level that it does not have. Names are case-sensitive. @throws SandboxError */
function requireLevel({ settings }: SandboxRuntime, levelName: string | null): void {
  if (levelName !== settings.kyc.levelName) throw new SandboxError(404, "The level does not exist");
}

function parseWith<S extends z.ZodType>(schema: S, body: string): z.output<S> {
  const parsed = schema.safeParse(parseJson(body));
  if (!parsed.success) throw new SandboxError(400, "Malformed data provided in the request");
  return parsed.data;
}

function parse(body: string): z.output<typeof person> {
  const parsed = person.safeParse(parseJson(body));
  if (!parsed.success) throw new SandboxError(422, "userId and levelName are needed");
  return parsed.data;
}

function parseShare(body: string): z.output<typeof share> {
  const parsed = share.safeParse(parseJson(body));
  if (!parsed.success) throw new SandboxError(400, "applicantId and forClientId are needed");
  return parsed.data;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new SandboxError(404, "Applicant not found");
  }
}

/** Checks the signature with Web Crypto, while the adapter uses another library: the two cannot share a mistake. */
async function requireSignature(runtime: SandboxRuntime, request: Request, path: string, body: string): Promise<void> {
  const { appToken, appSecret } = runtime.settings.kyc;
  const timestamp = request.headers.get("x-app-access-ts") ?? "";
  const signature = request.headers.get("x-app-access-sig") ?? "";
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= skewSecondsMax;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", Buffer.from(appSecret), algorithm, false, ["verify"]);
  const signed = Buffer.from(`${timestamp}${request.method}${path}${body}`);
  const isSigned =
    signaturePattern.test(signature) &&
    (await crypto.subtle.verify(algorithm, key, Buffer.from(signature, "hex"), signed));
  if (request.headers.get("x-app-token") !== appToken || !isFresh || !isSigned) {
    throw new SandboxError(401, "Request signature mismatch");
  }
}

const describe = (applicant: KycApplicant) => ({
  id: applicant.id,
  createdAt: applicant.createdAt.toISOString().slice(0, 19).replace("T", " "),
  clientId: "cardkeep",
  externalUserId: applicant.externalUserId,
  info: buildApplicantInfo(readPerson(applicant)),
  lang: readPerson(applicant)["lang"],
  type: "individual",
  ...(applicant.isDeactivated && { deleted: true }),
  review: {
    levelName: applicant.levelName,
    reviewStatus: applicant.reviewStatus,
    ...(applicant.reviewResult !== null && { reviewResult: applicant.reviewResult }),
  },
});
