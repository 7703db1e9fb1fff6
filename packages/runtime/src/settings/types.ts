/** The kinds of settings, each read from text. */
import { nativeDecimals, type Hex } from "@cardkeep/contract/core/primitives";
import { createPrivateKey, createPublicKey, type JsonWebKey } from "node:crypto";
import { z } from "zod";

/** The values of a group of settings, read by their schemas. */
export type Values<E extends z.ZodRawShape> = z.output<z.ZodObject<E>>;

export const port = (fallback: number, description: string) =>
  z.coerce.number<string>().int().min(0).max(65_535).default(fallback).describe(description);
export const wholeNumber = (fallback: number, min: number, description: string) =>
  z.coerce.number<string>().int().min(min).default(fallback).describe(description);
export const budget = (fallback: number, description: string) =>
  z.coerce.number<string>().int().min(1).max(1_000_000_000).default(fallback).describe(description);
export const privateKey = z.custom<Hex>(
  (value) => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value),
  "must be a 32-byte 0x-prefixed hex key",
);
/** An amount in whole native tokens, up to its smallest part; read as base units. */
export const nativeAmount = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, "must be an amount in whole native tokens, such as 0.5")
  .transform((text) => {
    const [whole = "", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(nativeDecimals, "0"));
  })
  .refine((amount) => amount > 0n, "must be above 0");
export const list = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);

/** A secret, or several with commas between them while it is replaced. A fault names the setting, not the place in it. */
export const replaceable = <T>(secret: z.ZodType<T, string>) =>
  list.transform((texts, context): T[] => {
    const parsed = texts.map((text) => secret.safeParse(text));
    const secrets = parsed.flatMap(({ success, data }) => (success ? [data] : []));
    if (secrets.length === texts.length && texts.length > 0) return secrets;
    const message = parsed.find(({ success }) => !success)?.error?.issues[0]?.message ?? "must not be empty";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

/** A comma list of addresses, kept as one text. */
export const urls = list
  .pipe(z.array(z.url()).min(1))
  .transform((addresses) => addresses.join(","))
  .optional();

const areDistinct = (values: readonly string[]): boolean => new Set(values).size === values.length;

export const privateKeys = list.pipe(
  z
    .array(privateKey)
    .min(1)
    .refine((keys) => areDistinct(keys.map((key) => key.toLowerCase())), "must not name a key twice"),
);

/** An address that holds an adapter's server and credentials. */
export const readBy = <T>(parse: (text: string) => T | null, message: string) =>
  z.string().transform((text, context) => {
    const read = parse(text);
    if (read !== null) return read;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

const jwk = z
  .looseObject({
    kid: z.string().min(1),
    kty: z.literal("EC"),
    crv: z.literal("P-256"),
    x: z.string(),
    y: z.string(),
    d: z.string(),
  })
  .refine(isPrivateKey, "is not a private P-256 key");

function isPrivateKey(key: JsonWebKey): boolean {
  try {
    // It accepts only a point of the curve with its own private key.
    const { x, y } = createPublicKey(createPrivateKey({ key, format: "jwk" })).export({ format: "jwk" });
    return x === key.x && y === key.y;
  } catch {
    return false;
  }
}

const signingJwk = z
  .looseObject({
    kid: z.string().min(1),
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    x: z.string(),
    d: z.string(),
  })
  .refine(isPrivateKey, "is not a private Ed25519 key");

const publicJwk = z
  .looseObject({
    kid: z.string().min(1),
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    x: z.string(),
    d: z.never("must not hold a private key").exactOptional(),
  })
  .refine(isPublicKey, "is not a public Ed25519 key");

function isPublicKey(key: JsonWebKey): boolean {
  try {
    return createPublicKey({ key, format: "jwk" }).type === "public";
  } catch {
    return false;
  }
}

const keySetOf = <K extends z.ZodType<{ kid: string }>>(key: K) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: "custom", message: "must be a JWKS in JSON" });
        return z.NEVER;
      }
    })
    .pipe(
      z.object({
        keys: z
          .array(key)
          .min(1)
          .refine((keys) => areDistinct(keys.map(({ kid }) => kid)), "name one kid twice"),
      }),
    );

/** Keys of access tokens. */
export const keySet = keySetOf(jwk);
/** Keys of webhooks. */
export const signingKeySet = keySetOf(signingJwk);
/** Public halves of keys of webhooks. */
export const publicKeySet = keySetOf(publicJwk);
