import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { createSmtpMailer, parseSmtpUrl } from "@cardkeep/providers/mail/smtp";
import fc from "fast-check";
import { startMailServer, type TestMailServer } from "../support/smtp.ts";

let server: TestMailServer;
beforeAll(async () => {
  server = await startMailServer({ password: "p:ss" });
});
afterAll(() => server.stop());

const mailerOf = (address: string, timeoutMs = 5_000) => {
  const smtp = parseSmtpUrl(address);
  if (!smtp) throw new Error(address);
  return createSmtpMailer({ server: smtp, from: "no-reply@cardkeep.example", senderName: "Cardkeep", timeoutMs });
};
const mailer = () => mailerOf(`smtp://127.0.0.1:${server.port}`);
const send = (to: string, through = mailer()) =>
  through.send({ to, subject: "Your code", text: "It is 123456.", code: "123456" });
const faultOf = (sending: Promise<void>): Promise<unknown> =>
  sending.then(
    () => null,
    (error: unknown) => error,
  );

describe("a mail over SMTP", () => {
  test("reaches its one receiver, from us, unchanged", async () => {
    server.received.length = 0;
    await send("ada.o'hara+x@example.org");
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({
      from: "no-reply@cardkeep.example",
      to: ["ada.o'hara+x@example.org"],
      user: undefined,
    });
    for (const line of [
      "From: Cardkeep <no-reply@cardkeep.example>",
      "To: ada.o'hara+x@example.org",
      "Subject: Your code",
      "It is 123456.",
    ])
      expect(server.received[0]?.text).toContain(line);
  });

  test("carries the credentials of its address", async () => {
    server.received.length = 0;
    await send("ada@example.org", mailerOf(`smtp://me%40x:p%3Ass@127.0.0.1:${server.port}`));
    expect(server.received[0]?.user).toBe("me@x");
    const refused = await faultOf(send("ada@example.org", mailerOf(`smtp://me:wrong@127.0.0.1:${server.port}`)));
    expect(refused).toMatchObject({ name: "ProviderUnavailable" });
    expect(Bun.inspect(refused)).not.toContain("secret text");
  });

  test.each([
    "v@x.org\r\nBcc: e@y.org",
    "v@x.org\nRCPT TO:<e@y.org>",
    "v@x.org\r\nRCPT TO:<e@y.org>",
    "v@x.org,e@y.org",
    "v@x.org;e@y.org",
    "v@x.org e@y.org",
    '"n" <e@y.org>',
    "<e@y.org>",
    "v@x.org>\r\nRCPT TO:<e@y.org",
    "friends: v@x.org, e@y.org;",
    '"v@x.org, e@y.org"@z.org',
    "v@x.org\u0000",
    "v@x.org\u2028e@y.org",
    "",
  ])("never leaves for %p, which is not one plain address", async (to) => {
    server.received.length = 0;
    expect(await faultOf(send(to))).toMatchObject({ name: "ProviderRefused" });
    expect(server.received).toEqual([]);
  });

  test("reaches exactly its receiver or no mailbox, with anything around or inside an address", async () => {
    const piece = fc.constantFrom(
      ",",
      ";",
      "\r\n",
      "\n",
      "\t",
      " ",
      "<",
      ">",
      '"',
      "(",
      ")",
      "\\",
      ":",
      "@",
      "Bcc: ",
      "e@y.org",
      "\u0000",
      "\u2028",
    );
    const attack = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .chain((pieces) =>
        fc.nat({ max: 7 }).map((at) => "v@x.org".slice(0, at) + pieces.join("") + "v@x.org".slice(at)),
      );
    await fc.assert(
      fc.asyncProperty(attack, async (to) => {
        server.received.length = 0;
        const fault = await faultOf(send(to));
        expect(server.received.map((mail) => mail.to)).toEqual(fault === null ? [[to]] : []);
      }),
      { numRuns: 80 },
    );
  });

  test("that the server rejects permanently is final; one rejected temporarily is retried", async () => {
    server.refuseWith({ responseCode: 550, message: "secret text about ada@example.org" });
    const final = await faultOf(send("ada@example.org"));
    expect(final).toMatchObject({ name: "ProviderRefused", status: 550 });
    server.refuseWith({ responseCode: 451, message: "secret text about ada@example.org" });
    const passing = await faultOf(send("ada@example.org"));
    expect(passing).toBeInstanceOf(ProviderUnavailable);
    for (const error of [final, passing]) expect(Bun.inspect(error)).not.toMatch(/secret text|ada@/);
    server.refuseWith(null);
  });

  test("is kept while the server refuses our own address, which is no receiver's fault", async () => {
    const through = mailer();
    for (const responseCode of [530, 550, 553]) {
      server.refuseWith({ responseCode, message: "secret text: sender rejected" }, "sender");
      const kept = await faultOf(send("ada@example.org", through));
      expect(kept).toMatchObject({ name: "ProviderUnavailable" });
      expect(Bun.inspect(kept)).not.toContain("secret text");
    }
    server.refuseWith(null);
    await send("ada@example.org", through);
  });

  test("that one receiver's server postpones pauses no mail to others; one that the server itself postpones does", async () => {
    const one = mailer();
    server.refuseWith({ responseCode: 450, message: "greylisted" });
    for (let made = 0; made < 6; made++)
      expect(await faultOf(send("grey@example.org", one))).toMatchObject({ name: "ProviderPostponed" });
    server.refuseWith(null);
    await send("ada@example.org", one);
    server.refuseWith({ responseCode: 421, message: "closing" });
    for (let made = 0; made < 5; made++)
      expect(await faultOf(send("ada@example.org", one))).toMatchObject({ name: "ProviderUnavailable" });
    server.refuseWith(null);
    expect(Bun.inspect(await faultOf(send("ada@example.org", one)))).toContain("calls are paused");
  });

  test("to a server that is away, silent, or of another protocol fails in time", async () => {
    // A silent one stays so for longer than a test may take.
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
    const web = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") });
    for (const other of [9, silent.port, web.port]) {
      expect(await faultOf(send("ada@example.org", mailerOf(`smtp://127.0.0.1:${other}`, 1_000)))).toMatchObject({
        name: "ProviderUnavailable",
      });
    }
    silent.stop(true);
    await web.stop(true);
  });
});

describe("TLS", () => {
  const withPassword = (port: number) => {
    const smtp = parseSmtpUrl(`smtp://me:p%3Ass@127.0.0.1:${port}`);
    if (!smtp) throw new Error("no address");
    return createSmtpMailer({
      server: { ...smtp, requireTLS: true },
      from: "a@example.org",
      senderName: "Cardkeep",
      timeoutMs: 5_000,
    });
  };

  test("is required before a password is sent: a server without it gets neither password nor mail", async () => {
    server.received.length = 0;
    expect(await faultOf(send("ada@example.org", withPassword(server.port)))).toMatchObject({
      name: "ProviderUnavailable",
    });
    expect(server.received).toEqual([]);
  });

  test("is used if offered, and an untrusted certificate is not accepted", async () => {
    const impostor = await startMailServer({ offersTls: true });
    try {
      for (const mail of [mailerOf(`smtp://127.0.0.1:${impostor.port}`), withPassword(impostor.port)]) {
        expect(await faultOf(send("ada@example.org", mail))).toMatchObject({ name: "ProviderUnavailable" });
      }
      expect(impostor.received).toEqual([]);
    } finally {
      await impostor.stop();
    }
  });
});

describe("the address of a mail server", () => {
  test("names TLS, port and credentials; a mail leaves this machine under TLS only", () => {
    expect(parseSmtpUrl("smtps://u:p@mail.example.org")).toEqual({
      host: "mail.example.org",
      port: 465,
      secure: true,
      requireTLS: false,
      auth: { user: "u", pass: "p" },
    });
    expect(parseSmtpUrl("smtp://u:p@mail.example.org")).toMatchObject({ port: 587, secure: false, requireTLS: true });
    expect(parseSmtpUrl("smtp://mail.example.org:25")).toEqual({
      host: "mail.example.org",
      port: 25,
      secure: false,
      requireTLS: true,
    });
    for (const loopback of ["smtp://u:p@localhost", "smtp://127.0.0.1:1025", "smtp://u:p@[::1]"]) {
      expect(parseSmtpUrl(loopback)).toMatchObject({ requireTLS: false });
    }
    for (const other of ["", "mail.example.org", "https://mail.example.org", "smtp://", "smtp:mail"]) {
      expect(parseSmtpUrl(other)).toBeNull();
    }
  });
});
