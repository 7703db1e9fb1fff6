/** The identity provider Sumsub, over its HTTP API. Source: docs.sumsub.com, "App tokens", "WebSDK", "Webhooks". */
import { parseJsonText } from "@cardkeep/contract/core/text";
import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { createBreaker } from "../breaker.ts";
import type { CallbackError } from "../callbackError.ts";
import { callJson, ProviderRefused, type ReportCall } from "../http.ts";
import { toAlpha2 } from "./countries.ts";
import type { Applicant, KycCallback, KycProvider } from "./port.ts";
import { addressesOfRecord, linesOf } from "./sumsubAddress.ts";
import { documentsOfRecord, lastDayOf } from "./sumsubDocuments.ts";
import { reviewRecord, reviewResult, statusOfCallback, statusOfRecord } from "./sumsubReview.ts";

/** Accepted digests. SHA-1 is not one, even if a header names it. */
const digestHashes: ReadonlyMap<string, string> = new Map([
  ["HMAC_SHA256_HEX", "sha256"],
  ["HMAC_SHA512_HEX", "sha512"],
]);

/** `yyyy-MM-dd HH:mm:ss.fff` in UTC, the provider's form of instants. Source: docs.sumsub.com, "Payload attributes". */
const providerInstant = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)Z?$/;

function parseInstantMs(value: string | number): number {
  const [, date, time] = providerInstant.exec(String(value)) ?? [];
  return date === undefined ? Number(value) : Date.parse(`${date}T${time}Z`);
}

const text = z.string().nullish();
const webLinkAnswer = z.object({ url: z.url() });
const sdkTokenAnswer = z.object({ token: z.string().min(1), userId: z.string() });
const shareTokenAnswer = z.object({ token: z.string().min(1), forClientId: z.string() });
const applicantAnswer = reviewRecord.extend({
  id: z.string().min(1),
  externalUserId: z.string(),
  info: z
    .object({
      firstName: text,
      lastName: text,
      firstNameEn: text,
      lastNameEn: text,
      dob: text,
      country: text,
      nationality: text,
      addresses: addressesOfRecord,
      idDocs: documentsOfRecord,
    })
    .nullish(),
});
const existsAnswer = z.discriminatedUnion("exists", [
  z.object({ exists: z.literal(false) }),
  z.object({ exists: z.literal(true), applicant: applicantAnswer }),
]);
const namedAnswer = z.object({ id: z.string().min(1) });
const event = z.object({
  type: z.string().min(1),
  applicantId: z.string().min(1),
  externalUserId: z.string().min(1),
  correlationId: z.string().min(1),
  createdAtMs: z.union([z.string(), z.number()]).transform(parseInstantMs).pipe(z.int().positive()),
  // The vendor's own example has it as a text.
  sandboxMode: z.union([z.boolean(), z.stringbool({ truthy: ["true"], falsy: ["false"] })]).default(false),
  levelName: text,
  applicantType: text,
  reviewResult,
});

/** The adapter for one app token; `now` is the time for the signatures of requests. */
export function createSumsub(input: {
  url: string;
  appToken: string;
  appSecret: string;
  callbackSecrets: readonly string[];
  levelName: string;
  timeoutMs: number;
  report?: ReportCall;
  now?: () => Date;
  /** Called with the secret of each genuine callback. */
  onSecret?: (secret: string) => void;
}): KycProvider {
  const breaker = createBreaker("The identity provider");
  const base = input.url.replace(/\/+$/, "");
  const call = <T extends z.ZodType>(answer: T, method: "GET" | "POST" | "PATCH", path: string, payload?: object) => {
    const body = payload === undefined ? "" : JSON.stringify(payload);
    const seconds = String(Math.floor((input.now?.() ?? new Date()).getTime() / 1000));
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json",
      "X-App-Token": input.appToken,
      "X-App-Access-Ts": seconds,
      "X-App-Access-Sig": createHmac("sha256", input.appSecret)
        .update(seconds + method + path + body)
        .digest("hex"),
    };
    const { timeoutMs, report } = input;
    const url = base + path;
    return breaker(() => callJson({ url, method, headers, ...(body !== "" && { body }), timeoutMs, answer, report }));
  };

  const findApplicant = async (userId: string): Promise<Applicant | null> => {
    const path = `/resources/applicants/-;externalUserId=${encodeURIComponent(userId)}/one`;
    try {
      return toApplicant(await call(applicantAnswer, "GET", path), input.levelName);
    } catch (error) {
      if (!(error instanceof ProviderRefused) || error.status !== 404) throw error;
      return confirmAbsence(userId);
    }
  };
  /**
   * A 404 may also be that of a wrong address or a gateway, and an approval ends where the record is gone. Another request may
   * have made the applicant meanwhile.
   */
  const confirmAbsence = async (userId: string): Promise<Applicant | null> => {
    const path = `/resources/applicants/-/byExternalUserId/${encodeURIComponent(userId)}`;
    const answer = await call(existsAnswer, "GET", path);
    return answer.exists ? toApplicant(answer.applicant, input.levelName) : null;
  };

  // A token of the SDK has no language: the SDK uses the applicant's.
  const setLanguage = async (userId: string, email: string | null, lang: string): Promise<void> => {
    const known = (await findApplicant(userId)) ?? (await makeApplicant(userId, email, lang));
    if (known) await call(namedAnswer, "PATCH", "/resources/applicants", { id: known.applicantId, lang });
  };
  /** Null for a new applicant, which has the language; else the one that another request made meanwhile. */
  const makeApplicant = async (userId: string, email: string | null, lang: string): Promise<Applicant | null> => {
    const path = `/resources/applicants?${new URLSearchParams({ levelName: input.levelName })}`;
    try {
      await call(namedAnswer, "POST", path, { externalUserId: userId, ...(email !== null && { email }), lang });
      return null;
    } catch (error) {
      if (!(error instanceof ProviderRefused) || error.status !== 409) throw error;
      return findApplicant(userId);
    }
  };

  return {
    createWebLink: async ({ userId, email, language }) => {
      const path = "/resources/sdkIntegrations/levels/-/websdkLink";
      const query = language === undefined ? "" : `?${new URLSearchParams({ lang: language })}`;
      const payload = { levelName: input.levelName, userId, ...identify(email) };
      return call(webLinkAnswer, "POST", path + query, payload);
    },
    createSdkToken: async ({ userId, email, ttlSeconds, language }) => {
      if (language !== undefined) await setLanguage(userId, email, language);
      const payload = { userId, levelName: input.levelName, ttlInSecs: ttlSeconds, ...identify(email) };
      return call(sdkTokenAnswer, "POST", "/resources/accessTokens/sdk", payload);
    },
    createShareToken: async ({ applicantId, forClientId, ttlSeconds }) => {
      const payload = { applicantId, forClientId, ttlInSecs: ttlSeconds };
      return call(shareTokenAnswer, "POST", "/resources/accessTokens/shareToken", payload);
    },
    findApplicant,
    parseCallback: ({ rawBody, headers }) => {
      const secret = input.callbackSecrets.find((each) => isAuthentic(rawBody, headers, each));
      if (secret === undefined) return "forged";
      input.onSecret?.(secret);
      return parseEvent(rawBody, input.levelName);
    },
  };
}

const identify = (email: string | null) => (email === null ? {} : { applicantIdentifiers: { email } });

function isAuthentic(
  rawBody: string,
  headers: { digest: string | null; algorithm: string | null },
  secret: string,
): boolean {
  const hash = digestHashes.get(headers.algorithm ?? "");
  if (hash === undefined || headers.digest === null || !/^([0-9a-f]{2})+$/.test(headers.digest)) return false;
  const expected = createHmac(hash, secret).update(rawBody).digest();
  const given = Buffer.from(headers.digest, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parseEvent(rawBody: string, configuredLevel: string): KycCallback | CallbackError {
  try {
    const body = parseJsonText(rawBody);
    const { correlationId, reviewResult: result, levelName, applicantType, ...fields } = event.parse(body);
    const subject = { callbackType: fields.type, reviewResult: result, levelName, type: applicantType };
    const status = statusOfCallback(subject, configuredLevel);
    return { ...fields, id: `${correlationId}:${fields.type}`, status, body };
  } catch {
    return "senseless";
  }
}

function toApplicant(record: z.output<typeof applicantAnswer>, configuredLevel: string): Applicant {
  const { id, externalUserId, info } = record;
  const [address] = info?.addresses ?? [];
  return {
    applicantId: id,
    externalUserId,
    firstName: info?.firstName ?? null,
    lastName: info?.lastName ?? null,
    latinFirstName: info?.firstNameEn ?? null,
    latinLastName: info?.lastNameEn ?? null,
    birthDate: info?.dob ?? null,
    ...linesOf(address ?? {}),
    city: address?.town ?? null,
    postalCode: address?.postCode ?? null,
    state: address?.state ?? null,
    country: toAlpha2(address?.country ?? info?.country),
    nationality: toAlpha2(info?.nationality),
    documentsValidUntil: lastDayOf(info?.idDocs ?? []),
    levelName: record.review?.levelName ?? null,
    status: statusOfRecord(record, configuredLevel),
  };
}
