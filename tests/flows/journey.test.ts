import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hasBrowser, startBrowser } from "../support/browser.ts";
import { createVirtual } from "../support/cards.ts";
import { answerSourceOfFunds, validatePhone } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { subscribe } from "../support/webhooks.ts";

const native = "0x0000000000000000000000000000000000000000";
const destination = "0x000000000000000000000000000000000000bEEF";
const euro = 10n ** 18n;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe("one person's journey", () => {
  test("over REST: from a wallet to tokens at the destination, with true answers throughout", async () => {
    const ada = new Person(service);
    await ada.signIn();
    expect((await ada.call("GET", "/user")).status).toBe(401);
    await ada.signUp();
    expect((await ada.call("GET", "/user")).body).toMatchObject({
      id: ada.userId,
      kycStatus: "notStarted",
      safeWallets: [],
    });

    const { body: terms } = await ada.call("GET", "/user/terms");
    expect(terms.terms).toHaveLength(4);
    for (const { type, currentVersion } of terms.terms) {
      expect((await ada.call("POST", "/user/terms", { terms: type, version: currentVersion })).body).toEqual({
        ok: true,
      });
    }
    expect(
      (await ada.call("GET", "/user/terms")).body.terms.every((item: { accepted: boolean }) => item.accepted),
    ).toBe(true);

    expect((await ada.call("GET", "/kyc/integration")).body).toEqual({
      type: "PROVIDER_WEB",
      url: expect.stringContaining("http"),
    });
    expect((await ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved" })).status).toBe(200);
    expect((await ada.call("GET", "/user")).body).toMatchObject({
      kycStatus: "approved",
      country: "DE",
      firstName: expect.any(String),
    });

    expect((await ada.call("GET", "/safe/deploy")).body).toEqual({ status: "not_deployed" });
    expect((await ada.call("GET", "/safe/config")).body).toMatchObject({
      isDeployed: false,
      address: null,
      accountStatus: 1,
    });
    const accepted = await ada.call("POST", "/safe/deploy");
    expect([accepted.status, accepted.body]).toEqual([202, { status: "accepted" }]);
    await until(async () => (await ada.call("GET", "/safe/deploy")).body.status === "ok");
    const { body: config } = await ada.call("GET", "/safe/config");
    expect(config).toMatchObject({ isDeployed: true, tokenSymbol: "EURe", fiatSymbol: "EUR", accountStatus: 0 });
    expect(config.accountAllowance).toMatchObject({
      balance: (350n * euro).toString(),
      refill: (350n * euro).toString(),
      period: "86400",
    });
    expect((await ada.call("GET", "/eoa-accounts")).body.data.eoaAccounts).toMatchObject([
      { address: ada.account.address, userId: ada.userId },
    ]);

    await ada.sandbox("POST", "/chain/faucet", {
      address: config.address,
      token: "EURe",
      amount: (100n * euro).toString(),
    });
    expect((await ada.call("GET", "/account-balances")).body).toEqual({
      total: (100n * euro).toString(),
      spendable: (100n * euro).toString(),
      pending: "0",
    });

    const withdrawal = await ada.signWithdrawal({
      tokenAddress: eure,
      to: destination,
      amount: (40n * euro).toString(),
    });
    const submitted = await ada.call("POST", "/accounts/withdraw", withdrawal);
    expect(submitted.status).toBe(200);
    expect(submitted.body.data).toMatchObject({
      status: "QUEUING",
      operationType: "CALL",
      safeAddress: config.address,
    });
    expect(JSON.parse(submitted.body.data.transactionData)).toMatchObject({ to: eure, value: "0" });
    const { id } = submitted.body.data;
    await until(async () => (await ada.findDelay(id))?.status === "WAITING");
    expect((await ada.call("GET", "/account-balances")).body).toMatchObject({
      spendable: (60n * euro).toString(),
      pending: (40n * euro).toString(),
    });
    expect((await ada.call("GET", "/safe/config")).body.accountStatus).toBe(7);
    const readyAt = (await ada.findDelay(id))?.readyAt;
    expect(new Date(readyAt ?? 0).getTime()).toBeGreaterThan(Date.now() + 170_000);

    await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await ada.findDelay(id))?.status === "EXECUTED");
    expect((await ada.call("GET", "/account-balances")).body).toMatchObject({
      total: (60n * euro).toString(),
      pending: "0",
    });
    expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(40n * euro);
    expect((await ada.call("GET", "/safe/config")).body.accountStatus).toBe(0);
  });

  test("over tRPC: the same journey with the typed client", async () => {
    const bea = new Person(service);
    const signed = await bea.signMessage({ nonce: await bea.trpc().auth.nonce.query() });
    bea.token = (await bea.trpc().auth.challenge.mutate(signed)).token;
    const created = await bea.trpc().auth.signUp.mutate({ authEmail: "bea@example.org" });
    bea.token = created.token;
    bea.userId = created.id;
    await bea.sandbox("POST", `/kyc/${created.id}/review`, { outcome: "approved" });
    expect((await bea.trpc().users.me.query()).kycStatus).toBe("approved");
    expect(await bea.trpc().safes.deploy.mutate({})).toEqual({ status: "accepted" });
    await until(async () => (await bea.trpc().safes.deployment.query()).status === "ok");
    const { address } = await bea.trpc().safes.config.query();
    await bea.sandbox("POST", "/chain/faucet", { address, token: "native", amount: "1000" });
    const transfer = { tokenAddress: native, to: "0x000000000000000000000000000000000000cafe", amount: "600" } as const;
    const { data } = await bea.trpc().accounts.withdrawalData.query(transfer);
    const signature = await bea.account.signTypedData(data);
    const { data: delay } = await bea
      .trpc()
      .accounts.withdraw.mutate({ ...transfer, signature, message: data.message });
    expect(delay.status).toBe("QUEUING");
    const statusOf = async () => (await bea.trpc().delays.list.query()).find((item) => item.id === delay.id)?.status;
    await until(async () => (await statusOf()) === "WAITING");
    await bea.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await statusOf()) === "EXECUTED");
    expect(await service.runtime.chain.getNativeBalance("0x000000000000000000000000000000000000cafe")).toBe(600n);
  });

  // Without a Chromium the clicks cannot be tested; tests/long/sandbox.test.ts tests the pages' content.
  test.skipIf(!hasBrowser)(
    "at the console: clicks play every role, and the page shows each result without a reload",
    async () => {
      const cy = await (await new Person(service).signIn()).signUp();
      const browser = await startBrowser();
      const goTo = async (desk: string) => {
        const query = `?desk=${desk}&person=${cy.userId}`;
        await browser.open(`${service.sandboxUrl}/${query}`);
        await browser.waitFor(`document.readyState === "complete" && location.search === "${query}"`);
      };
      const see = (text: string) => browser.waitFor(`document.querySelector("main").innerText.includes("${text}")`);
      const press = (text: string) =>
        until(async () => {
          const button = `[...document.querySelectorAll("main button")].find((one) => one.innerText === "${text}")`;
          return (await browser.run(`((button) => button && (button.click(), true))(${button})`)) === true;
        });
      const type = (name: string, text: string) =>
        browser.run(`(() => {
          const control = document.querySelector("main [name=${name}]");
          control.value = "${text}";
          control.dispatchEvent(new Event("input", { bubbles: true }));
        })()`);
      try {
        await goTo("kyc");
        await press("Approve");
        await until(async () => (await cy.call("GET", "/user")).body.kycStatus === "approved");
        await see("approved");

        await cy.call("POST", "/safe/deploy");
        await subscribe(cy, "sandbox");
        await until(async () => (await cy.call("GET", "/safe/deploy")).body.status === "ok");
        await validatePhone(cy);
        await goTo("messages");
        await see("Your verification code is");
        await answerSourceOfFunds(cy);
        await cy.acceptTerms();
        await createVirtual(cy);

        await goTo("chain");
        await type("amount", "0");
        await press("Give");
        await see("must be a whole number of base units above zero");
        await type("amount", "80.5");
        await press("Give");
        await see("Given.");
        await see("80.5 EURe");

        await goTo("terminal");
        const reported = () => browser.run(`document.querySelector("form[aria-label='Use a card'] output").value`);
        // Repeated if a busy machine was too slow to decide in time.
        const tap = (answer: string) =>
          until(async () => {
            await press("Tap");
            await until(async () => (await reported()) !== "…");
            return String(await reported()).startsWith(answer);
          });
        await type("amount", "999");
        await tap("Declined: insufficient_funds");
        await type("amount", "20.50");
        await tap("Approved");
        await press("Clear");
        await see("cleared 20.50 EUR");

        const tokens = { tokenAddress: eure, to: destination, amount: (7n * euro).toString() };
        expect((await cy.call("POST", "/accounts/withdraw", await cy.signWithdrawal(tokens))).status).toBe(200);
        await goTo("chain");
        await see("executes in 2:");
        await browser.click("#clock button[value='181']");
        await see("executed");
        await see("53 EURe");

        await goTo("inbox");
        await see("account.withdrawal.completed");
        expect(await browser.run(`document.querySelector("main").innerText`)).not.toContain("not verified");
      } finally {
        await browser.close();
      }
    },
    60_000,
  );
});
