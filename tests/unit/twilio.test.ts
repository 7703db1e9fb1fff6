import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTwilio, parseTwilioUrl } from "@cardkeep/providers/sms/twilio";

/** A gateway with chosen answers that remembers the last request. */
let respond: () => Response;
let seen: { request: Request; body: string } | null = null;
let gateway: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  gateway = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      seen = { request: request.clone(), body: await request.text() };
      return respond();
    },
  });
});
afterAll(() => gateway.stop(true));

const senderOf = (address: string) => {
  const account = parseTwilioUrl(address.replace("HOST", `127.0.0.1:${gateway.port}`));
  if (!account) throw new Error(address);
  return createTwilio({ ...account, timeoutMs: 5_000 });
};
const message = { to: "+4915112345678", text: "Your code is 123456 & nothing else = ü" };

describe("a text message through Twilio's Messages API", () => {
  test("is the documented request: path, Basic credentials, form", async () => {
    respond = () => Response.json({ sid: "SM1", status: "queued" }, { status: 201 });
    await senderOf("http://AC1:secret%3A%2F@HOST/?from=%2B15005550006").send(message);
    const { pathname, search } = new URL(seen?.request.url ?? "");
    expect([seen?.request.method, pathname, search]).toEqual(["POST", "/2010-04-01/Accounts/AC1/Messages.json", ""]);
    expect(seen?.request.headers.get("authorization")).toBe(`Basic ${btoa("AC1:secret:/")}`);
    expect(seen?.request.headers.get("content-type")).toBe("application/x-www-form-urlencoded");
    expect(Object.fromEntries(new URLSearchParams(seen?.body))).toEqual({
      To: message.to,
      From: "+15005550006",
      Body: message.text,
    });
  });

  test("uses a named messaging service, with an API key, below any path", async () => {
    const service = `MG${"0a".repeat(16)}`;
    await senderOf(`http://SK1:secret@HOST/api/laml/?from=${service}&account=AC2`).send(message);
    expect(new URL(seen?.request.url ?? "").pathname).toBe("/api/laml/2010-04-01/Accounts/AC2/Messages.json");
    expect(seen?.request.headers.get("authorization")).toBe(`Basic ${btoa("SK1:secret")}`);
    expect(Object.fromEntries(new URLSearchParams(seen?.body))).toEqual({
      To: message.to,
      MessagingServiceSid: service,
      Body: message.text,
    });
  });

  test("is refused for a fault of its number alone; every other failure is retried, and no text of the gateway is shown", async () => {
    const send = () => senderOf("http://AC1:secret@HOST?from=Cardkeep").send(message);
    const text = "secret text about +4915112345678";
    const faultOf = async (answer: () => Response) => {
      respond = answer;
      const error = await send().catch((thrown: unknown) => thrown);
      expect(Bun.inspect(error)).not.toContain("secret text");
      return error;
    };
    const refuse = (status: number, code: unknown) => faultOf(() => Response.json({ code, message: text }, { status }));
    for (const code of [21211, 21268, 21610, 21612, 21614])
      expect(await refuse(400, code)).toMatchObject({ name: "ProviderRefused", status: 400 });
    // Our credentials, our account, and an address that the gateway does not know: no person's number is at fault.
    for (const status of [401, 402, 403, 404])
      expect(await refuse(status, 21211)).toMatchObject({ name: "ProviderUnavailable" });
    // Our sender, a region that our account does not allow, a message that is too long, and codes that cannot be read.
    for (const code of [21606, 21408, 21617, "21211", null])
      expect(await refuse(400, code)).toMatchObject({ name: "ProviderPostponed" });
    expect(await faultOf(() => new Response(`<html>${text}`, { status: 400 }))).toMatchObject({
      name: "ProviderPostponed",
    });
    expect(await refuse(429, 20429)).toMatchObject({ name: "ProviderPostponed" });
    const temporary = [
      () => Response.json({ message: text }, { status: 503 }),
      () => Response.json({ message: text }, { status: 201 }),
      () => new Response("<html>", { status: 201 }),
    ];
    for (const answer of temporary) expect(await faultOf(answer)).toMatchObject({ name: "ProviderUnavailable" });
  });

  test("needs a complete account", () => {
    const incomplete = [
      "",
      "nowhere",
      "https://host?from=x",
      "https://AC1@host?from=x",
      "https://AC1:t@host",
      "ftp://a:b@h?from=x",
    ];
    expect(incomplete.map(parseTwilioUrl)).toEqual(incomplete.map(() => null));
  });
});
