import { describe, expect, test } from "bun:test";
import { DeliveryRefused, verifyDelivery } from "@cardkeep/client/webhooks";
import { createWebhookKeys } from "@cardkeep/providers/webhooks/sign";
import { findRetryDelayMs } from "@cardkeep/domain/partners/webhooks/retrySchedule";
import { createPublicKey, verify } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { version } from "@cardkeep/contract/version";
import vectors from "../../packages/client/vectors/deliveries.json";
import { filled } from "../support/filled.ts";

const { publicKeys, secret } = vectors;
const now = new Date(vectors.now);

/** The private half of the vectors' key: RFC 8037, appendix A. */
const privateKey = {
  kid: "vectors",
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
};

describe("the published vectors", () => {
  test.each(vectors.deliveries)("delivery %# is verified in one call, with either key or both", async (delivery) => {
    const event = await verifyDelivery({ ...delivery, publicKeys, secret, now });
    expect(event).toMatchObject({ id: delivery.headers["webhook-id"], ...JSON.parse(delivery.body) });
    await verifyDelivery({ ...delivery, publicKeys, now });
    await verifyDelivery({ ...delivery, secret, now });
    await verifyDelivery({ ...delivery, headers: new Headers(delivery.headers), publicKeys, now });
  });

  test.each(vectors.tampered)("$why is refused", async ({ headers, body }) => {
    await expect(verifyDelivery({ headers, body, publicKeys, secret, now })).rejects.toThrow(DeliveryRefused);
  });

  test("too old, too new, with another key, another secret or none are refused", async () => {
    const [delivery] = vectors.deliveries;
    if (!delivery) throw new Error("There is no vector");
    const verifyWith = (change: object) => verifyDelivery({ ...delivery, publicKeys, secret, now, ...change });
    const other = createWebhookKeys([
      {
        ...privateKey,
        x: "0JCzmb942T0pjq7wfcnRCvAsjYSsX4WRkUZOjYkKz5k",
        d: "ylTCJXAQGI2gm-nBk31y3same0sUB-29p-oxIdpngT8",
      },
    ]);
    const refused = [
      { now: new Date(now.getTime() + 301_000) },
      { now: new Date(now.getTime() - 400_000) },
      { publicKeys: other.publicKeys },
      { secret: "whsec_AAAA" },
      { publicKeys: [], secret: undefined },
    ];
    for (const change of refused) expect(verifyWith(change)).rejects.toThrow(DeliveryRefused);
    await verifyWith({ publicKeys: [...other.publicKeys, ...publicKeys] });
  });

  test("equal the service's signatures, byte for byte", () => {
    for (const { headers, body } of filled(vectors.deliveries)) {
      const signed = createWebhookKeys([privateKey]).buildHeaders({
        id: headers["webhook-id"],
        sequence: BigInt(headers["webhook-sequence"]),
        timestamp: Number(headers["webhook-timestamp"]),
        body,
        secrets: [secret],
      });
      // The vectors do not change with versions of the program.
      expect(signed).toEqual({ ...headers, "User-Agent": `Cardkeep-Webhooks/${version}` });
    }
  });

  test("are valid for node:crypto and for the unmodified standardwebhooks package", () => {
    for (const { headers, body } of filled(vectors.deliveries)) {
      const key = createPublicKey(vectors.publicKeyPem);
      const own = Buffer.from(`${headers["X-Webhook-Timestamp"]}.${body}`);
      expect(verify(null, own, key, Buffer.from(headers["X-Webhook-Signature"], "base64"))).toBe(true);
      // The package uses the wall clock, which the vectors do not follow.
      const timestamp = new Date(Number(headers["webhook-timestamp"]) * 1000);
      const signature = new Webhook(secret).sign(headers["webhook-id"], timestamp, body);
      expect(headers["webhook-signature"].split(" ")).toContain(signature);
    }
  });
});

describe("the schedule", () => {
  const delayOf = (attempt: number, random = 0, retryAfterSeconds: number | null = null) =>
    findRetryDelayMs(attempt, { random, retryAfterSeconds });

  test("is 1, 5 and 15 minutes as published, then 1, 6 and 24 hours and up to a tenth more, then none", () => {
    const minutes = [1, 2, 3, 4, 5, 6].map((attempt) => (delayOf(attempt) ?? 0) / 60_000);
    expect(minutes).toEqual([1, 5, 15, 60, 360, 1_440]);
    expect(delayOf(3, 1)).toBe(15 * 60_000);
    expect(delayOf(4, 1)).toBe(66 * 60_000);
    expect(delayOf(7)).toBeNull();
  });

  test("is never shorter than a receiver's request, within a day", () => {
    expect(delayOf(1, 0, 600)).toBe(600_000);
    expect(delayOf(2, 0, 1)).toBe(300_000);
    expect(delayOf(1, 0, 1e9)).toBe(86_400_000);
  });
});
