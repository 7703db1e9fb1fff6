import { describe, expect, test } from "bun:test";
import { development } from "@cardkeep/runtime/development";
import { buildEnvExample } from "@cardkeep/runtime/envExample";
import { readSettings, SettingsError } from "@cardkeep/runtime/settings";
import { production } from "../support/production.ts";

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split("\n");
  }
};

describe("settings", () => {
  test("need nothing on one's own machine", () => {
    expect(readSettings({})).toMatchObject({ port: 3000, chainId: 100, cooldownSeconds: 180, production: false });
  });

  test("an empty value is as good as none", () => {
    expect(readSettings({ PORT: "", DATABASE_URL: "" })).toMatchObject({ port: 3000, databaseUrl: undefined });
  });

  test("name every fault at once", () => {
    const faults = faultsOf({ PORT: "port", RELAYER_PRIVATE_KEYS: "0x12", DATABASE_URL: "nowhere" });
    expect(faults.map((fault) => fault.split(/[:.]/)[0])).toEqual(["PORT", "DATABASE_URL", "RELAYER_PRIVATE_KEYS"]);
  });

  test("in production are accepted when complete", () => {
    expect(faultsOf(production)).toEqual([]);
  });

  test("in production refuse every development value, a sandbox provider and a plain public address", () => {
    const faults = faultsOf({
      ...production,
      ...development,
      KYC_PROVIDER: "sandbox",
      PUBLIC_URL: "http://api.example.org",
    });
    for (const name of [...Object.keys(development), "KYC_PROVIDER", "PUBLIC_URL"]) {
      expect(faults.some((fault) => fault.startsWith(`${name}:`))).toBe(true);
    }
  });

  test("in production know no sandbox for mail and text messages, and send no code in clear to a gateway", () => {
    const { MAIL_URL: _mail, SMS_URL: _sms, ...incomplete } = production;
    expect(faultsOf(incomplete)).toEqual(["MAIL_URL: is required in production", "SMS_URL: is required in production"]);
    const plain = { ...production, SMS_URL: "http://AC1:secret@gateway.example.org?from=x" };
    expect(faultsOf(plain)).toEqual(["SMS_URL: must be https in production"]);
  });

  test("name mail server and gateway in one address each, with a sender of our own", () => {
    expect(readSettings(production)).toMatchObject({
      mailServer: { host: "mail.example.org", port: 465 },
      mailFrom: "no-reply@api.example.org",
      sms: { url: "https://api.twilio.com", accountSid: "AC1", from: "+15005550006" },
    });
    expect(readSettings({ ...production, MAIL_FROM: "hello@cardkeep.example" }).mailFrom).toBe(
      "hello@cardkeep.example",
    );
    expect(readSettings({}).mailServer).toBeNull();
    const faults = faultsOf({
      MAIL_URL: "https://mail.example.org",
      SMS_URL: "https://api.twilio.com",
      MAIL_FROM: "a, b@c.de",
    });
    expect(faults.map((fault) => fault.split(":")[0])).toEqual(["MAIL_URL", "MAIL_FROM", "SMS_URL"]);
  });

  test("in production have no defaults for keys", () => {
    const { OPERATOR_PRIVATE_KEY: _, ...incomplete } = production;
    expect(faultsOf(incomplete).some((fault) => fault.startsWith("OPERATOR_PRIVATE_KEY"))).toBe(true);
  });

  test(".env.example says what the schema says", async () => {
    expect(await Bun.file(new URL("../../.env.example", import.meta.url)).text()).toBe(buildEnvExample());
  });
});
