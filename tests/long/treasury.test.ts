/** The programme's own money on real contracts: swept, redeemed, at the issuer, and contributed; and who tries to take it. */
import { tokens } from "@cardkeep/chain/tokens";
import { listTransfersOf } from "@cardkeep/chain/transfers";
import { nativeToken } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { listCover } from "@cardkeep/db/queries/treasury/issuerMoney";
import { listRelayTransactions } from "@cardkeep/db/queries/chain/relay/bySubject";
import { cardCases, issuerTopUps, liveTransfers, treasuryMoves } from "@cardkeep/db/schema/tables";
import { listFunds } from "@cardkeep/domain/chain/funds/compareFunds";
import { readApprovalBudget } from "@cardkeep/domain/chain/funds/approvalBudget";
import { renewApprovals } from "@cardkeep/domain/treasury/approvals/renewApprovals";
import { allowDestination, disallowDestination } from "@cardkeep/domain/treasury/destinations/changeDestinations";
import { checkCover } from "@cardkeep/domain/operations/health/checkTreasury";
import { explainMovement } from "@cardkeep/domain/books/explanations/explainMovement";
import { readIssuerMoney } from "@cardkeep/domain/treasury/issuerMoney/readIssuerMoney";
import { carryOutMove } from "@cardkeep/domain/treasury/moves/carryOutMove";
import { failMove } from "@cardkeep/domain/treasury/moves/holdMove";
import { redeem } from "@cardkeep/domain/treasury/moves/redeem";
import type { Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import type { ShownMove } from "@cardkeep/domain/treasury/moves/showMove";
import { ProviderRefused } from "@cardkeep/providers/http";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { and, eq, sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { encodeFunctionData, erc20Abi, parseUnits } from "viem";
import { postFinal, sumByAccount } from "../support/bookSums.ts";
import { askCli, runCliOn } from "../support/cli.ts";
import { findShortfall } from "../support/funds.ts";
import { type HttpProxy, startHttpProxy } from "../support/httpProxy.ts";
import { holdJob } from "../support/jobs.ts";
import { openNode } from "../support/node.ts";
import { operatorOf } from "../support/operator.ts";
import { signInWithKey } from "../support/operatorPages.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { reorganise } from "../support/reorganise.ts";
import { startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, startService } from "../support/service.ts";
import {
  becomeCardHolder,
  type CardHolder,
  euro,
  follow,
  give,
  setHolding,
  untilSettled,
  use,
} from "../support/spending.ts";
import { openTwoPersons } from "../support/twoPersons.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const eure = tokens.EURe.address;
const why = ["--reason", "weekly"] as const;

let service: Service;
/** The e-money institution, as the service reaches it. */
let institution: HttpProxy;
let ada: CardHolder;
let threadId: string;
beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  institution = startHttpProxy(() => service.sandboxUrl, port);
  service = await startService({ env: { EMONEY_URL: `${institution.url}/emoney/api` } });
  ada = await becomeCardHolder(service, 1_000n * euro);
  ({ threadId } = await use(ada, 20_000));
  await follow(ada, threadId, "clear");
  await untilSettled(service);
});
afterAll(async () => {
  await service.stop();
  institution.stop();
});

const policy = () => service.runtime.services.policy;
const worker = () => createWorkerContext(service.runtime);
const holdingOf = (address: `0x${string}`) => service.runtime.chain.getTokenBalance(eure, address);
const show = () => askCli<Treasury>(service, "treasury", "show");
const euros = async () => (await show()).money.find(({ token }) => token === "EURe");
const move = (verb: string, ...words: string[]) => askCli<ShownMove>(service, "treasury", verb, ...words, ...why);
const untilEnded = async ({ id }: Pick<ShownMove, "id">): Promise<ShownMove> => {
  const read = () => askCli<ShownMove>(service, "treasury", "show", id);
  await until(async () => ["DONE", "FAILED"].includes((await read()).status));
  return read();
};
const budget = async () => {
  const { db, services } = service.runtime;
  const account = policy().settlementAddress;
  return readApprovalBudget(policy(), db, { token: "EURe", account, now: await services.clock.now(db) });
};
const issuerBalance = async (): Promise<{ amount: number; transactions: { type: string; amount: number }[] }> =>
  (await fetch(`${service.sandboxUrl}/issuer/balance`)).json();

test("money goes round: swept, redeemed to the issuer's IBAN, there as a top-up, and proof of funds expects each step", async () => {
  const before = await issuerBalance();
  const held = await holdingOf(policy().settlementAddress);
  const swept = await untilEnded(await move("sweep", "150"));
  expect(swept).toMatchObject({ kind: "sweep", status: "DONE", amount: "150", destination: policy().treasuryAddress });
  expect(await holdingOf(policy().settlementAddress)).toBe(held - 150n * euro);
  expect(await findShortfall(service.runtime)).toBeNull();
  const redeemed = await untilEnded(await move("redeem", "--amount", "100.50"));
  expect(redeemed).toMatchObject({ status: "DONE", externalId: redeemed.id, hash: expect.stringMatching(/^0x/) });
  expect(await holdingOf(policy().treasuryAddress)).toBe(49n * euro + euro / 2n);
  const [fund] = await askCli<ShownMove[]>(service, "treasury", "list", "--kind", "fund");
  expect(fund).toMatchObject({ causeId: redeemed.id, amount: "100.5" });
  expect(await untilEnded(fund ?? { id: "" })).toMatchObject({ status: "DONE" });
  const after = await issuerBalance();
  expect(after.amount - before.amount).toBe(10_050);
  expect(await untilEnded(await move("contribute", "20"))).toMatchObject({ status: "DONE" });
  expect(await findShortfall(service.runtime)).toBeNull();
  const [funds] = (await listFunds(service.runtime.services)).filter(({ token }) => token === "EURe");
  expect(funds?.difference).toBe(0n);
  expect(await euros()).toMatchObject({
    settlement: { required: "70", balance: "70" },
    treasury: { balance: "29.5" },
    today: { spent: "200", swept: "150", redeemed: "100.5", contributed: "20", toppedUp: "100.5" },
  });
});

describe("a move is refused", () => {
  const refuse = async (verb: string, ...words: string[]) => {
    const { code, err } = await runCliOn(service.runtime, "treasury", verb, ...words, ...why);
    expect(code).toBe(1);
    return err;
  };
  test("with its reason, and nothing is written", async () => {
    const count = async () => (await service.runtime.db.select().from(treasuryMoves)).length;
    const before = await count();
    expect(await refuse("sweep", "70.01")).toContain("At most 70 EURe can be swept");
    expect(await refuse("sweep", "0")).toContain("above zero");
    expect(await refuse("redeem", "1", "--currency", "USD")).toContain("No e-money institution redeems USDCe");
    expect(await refuse("redeem", "1.001")).toContain("whole cents");
    expect(await refuse("redeem", "15000")).toContain("supporting document");
    expect(await refuse("redeem", "500")).toContain("holds less");
    expect(await refuse("redeem", "1", "--iban", "DE89370400440532013000")).toContain("allow-list");
    expect(await count()).toBe(before);
  });

  test("that would take what refunds of the past days say will be needed again", async () => {
    const { threadId: undone } = await use(ada, 3_000);
    await untilSettled(service);
    await follow(ada, undone, "reverse");
    await untilSettled(service);
    expect(await euros()).toMatchObject({ settlement: { balance: "70" } });
    expect(await refuse("sweep", "40.01")).toContain("At most 40 EURe can be swept: 30 EURe stay");
  });

  test("while one of its kind is under way, however long that takes", async () => {
    const { db } = service.runtime;
    const [ended] = await db.select().from(treasuryMoves).where(eq(treasuryMoves.kind, "sweep"));
    if (!ended) throw new Error("nothing was swept");
    const id = randomUUID();
    await holdJob(service, "treasury.move", { moveId: id, requestId: "test" });
    const open = { ...ended, id, status: "PLANNED", endedAt: null, hash: null, externalId: null } as const;
    await db.insert(treasuryMoves).values(open);
    expect(await refuse("sweep", "1")).toContain(`A sweep of EURe is under way: ${id}`);
    await db.delete(treasuryMoves).where(eq(treasuryMoves.id, id));
  });
});

test("an unannounced movement is one item with an age, which holds up renewals, until two persons explain it", async () => {
  const { runtime } = service;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [eure, 7n * euro] });
  await openNode(service.rpcUrl).sendAs(policy().settlementAddress, { to: eure, data });
  expect(await findShortfall(runtime)).toContain("7 EURe less");
  await findShortfall(runtime);
  const { openItems } = await show();
  expect(openItems).toMatchObject([{ token: "EURe", amount: "7", outcome: null }]);
  const [{ id = "" } = {}] = openItems;
  const { parts } = await (await fetch(`${service.url}/readyz`)).json();
  expect(parts.funds.reason).toContain(`\`treasury explain\` it: ${id} since 2`);
  expect(await budget()).toBe("used");
  const persons = await openTwoPersons(runtime, ["treasury.explain"]);
  const asked = await persons.ask((ctx) => explainMovement(ctx, { id, account: "fraud-losses" }));
  expect(await findShortfall(runtime)).toContain("7 EURe less");
  await persons.approve("grace", asked);
  expect(await findShortfall(runtime)).toBeNull();
  expect([(await show()).openItems, await budget()]).toEqual([[], "free"]);
  const booked = await runtime.db.execute<{ account: string; euros: string }>(sql`
    select l.account, (l.amount / 1e18)::int::text as euros from book_lines l join book_postings p on p.id = l.posting_id
    where p.type = 'explanation' and p.external_id = ${id} order by l.ordinal`);
  expect([...booked]).toEqual([
    { account: "suspense:EUR", euros: "-7" },
    { account: "fraud-losses:EUR", euros: "7" },
  ]);
  await expect(explainMovement(operatorOf(runtime, "again"), { id, account: "capital" })).rejects.toMatchObject({
    code: "treasury.ended",
  });
});

test("the treasury is seen and kept from another machine as here: the whole, the allow-list, approvals and movements", async () => {
  const { runtime, url } = service;
  const there = (...words: string[]) => runCliOn(runtime, "treasury", ...words, "--server", url);
  const askThere = async (...words: string[]) => JSON.parse((await there(...words, ...why, "--json")).out);
  const whole = await there("show", "--json");
  expect([whole.code, whole.err]).toEqual([0, ""]);
  const here = (...words: string[]) => runCliOn(runtime, "treasury", "show", ...words);
  const withoutTime = (text: string) => text.replace(/"at": ?"[^"]+"/, "");
  // A worker may write what it read of the money between two looks.
  for (const words of [[], ["--json"]])
    await until(async () => {
      const outputs = await Promise.all([here(...words), there("show", ...words)]);
      const [one, other] = outputs.map((output) => ({ ...output, out: withoutTime(output.out) }));
      return Bun.deepEquals(one, other);
    });
  const thereText = await there("show");
  expect(thereText.out).toContain("Nothing is under way.");
  const [moved] = await askCli<ShownMove[]>(service, "treasury", "list");
  expect(JSON.parse((await there("show", moved?.id ?? "", "--json")).out)).toMatchObject({ id: moved?.id });

  const destination = "0x000000000000000000000000000000000000bEEF";
  expect(await askThere("allow", destination, "--label", "Example Ltd")).toMatchObject({ value: destination });
  expect((await there("show")).out).toContain(destination);
  expect((await show()).destinations.map(({ value }) => value)).toContain(destination);
  expect(await askThere("disallow", destination)).toMatchObject({ value: destination });
  expect((await show()).destinations.map(({ value }) => value)).not.toContain(destination);
  expect((await there("approve", "--amount", "none", "--account", "treasury", ...why)).err).toContain("no amount");

  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [eure, euro] });
  await openNode(service.rpcUrl).sendAs(policy().settlementAddress, { to: eure, data });
  expect(await findShortfall(runtime)).toContain("1 EURe less");
  await findShortfall(runtime);
  const [item] = (await show()).openItems;
  expect((await there("show")).out).toContain(item?.id ?? "none");
  expect(await askThere("explain", item?.id ?? "", "--account", "goodwill")).toMatchObject({ outcome: "explained" });
  expect(await findShortfall(runtime)).toBeNull();
});

test("a page has a form for each act of the treasury, and the allow-list is kept by them", async () => {
  const headers = { Cookie: await signInWithKey(service.url), Origin: service.url };
  const page = await (await fetch(`${service.url}/operator/treasury`, { headers })).text();
  const acts = ["sweep", "redeem", "fund", "contribute", "approve", "allow", "disallow", "explain"];
  expect(acts.filter((act) => !page.includes(`action="/operator/treasury/${act}"`))).toEqual([]);
  const destination = "0x000000000000000000000000000000000000bEEF";
  const submit = async (act: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ destination, ...fields });
    const init = { method: "POST", headers, body, redirect: "manual" as const };
    return (await fetch(`${service.url}/operator/treasury/${act}`, init)).status;
  };
  expect(await submit("allow", { label: "Example Ltd" })).toBe(422);
  expect(await submit("allow", { label: "Example Ltd", reason: "weekly" })).toBe(303);
  const money = await (await fetch(`${service.url}/operator/money`, { headers })).text();
  expect(money.includes(destination)).toBe(true);
  expect(await submit("disallow", { reason: "weekly" })).toBe(303);
  expect((await show()).destinations.map(({ value }) => value)).not.toContain(destination);
});

test("the page of announced money names the account that it is to be sent to, until it is given up", async () => {
  const headers = { Cookie: await signInWithKey(service.url), Origin: service.url };
  const body = new URLSearchParams({ move: "12.50", currency: "EUR", reason: "capital" });
  const answer = await fetch(`${service.url}/operator/treasury/fund`, {
    method: "POST",
    headers,
    body,
    redirect: "manual",
  });
  const [path = ""] = (answer.headers.get("location") ?? "").split("?");
  expect(path).toMatch(/^\/operator\/treasury\/[0-9a-f-]{36}$/);
  const account = await service.runtime.services.issuer.findFundingAccount("EUR");
  const read = async () => (await fetch(service.url + path, { headers })).text();
  for (const part of [account?.iban, account?.name, account?.bic]) expect(await read()).toContain(part ?? "none");
  await move("give-up", path.split("/").at(-1) ?? "");
  expect(await read()).not.toContain(account?.name ?? "none");
});

describe("a worker that dies", () => {
  class Died extends Error {}
  /** Runs a move's job until it has ended, and dies once before and once after each of its commits. */
  const runDying = async (id: string) => {
    for (let step = 0; step < 12; step++) {
      const ctx = worker();
      let commits = 0;
      const commit: typeof ctx.commit = async (write) => {
        if (step % 2 === 0 && commits === Math.floor(step / 4)) throw new Died();
        const output = await ctx.commit(write);
        if (step % 2 === 1 && commits++ === Math.floor(step / 4)) throw new Died();
        return output;
      };
      await Promise.allSettled([carryOutMove({ ...ctx, commit }, { moveId: id }), carryOutMove(ctx, { moveId: id })]);
    }
    return untilEnded({ id });
  };

  test("at any commit of a redeem, beside a second one and lost answers, leaves one order and one burn", async () => {
    const before = await holdingOf(policy().treasuryAddress);
    await fetch(`${service.sandboxUrl}/faults/emoney.error`, { method: "PUT", body: JSON.stringify({ count: 3 }) });
    const { id } = await move("redeem", "3");
    expect(await runDying(id)).toMatchObject({ status: "DONE" });
    expect(await holdingOf(policy().treasuryAddress)).toBe(before - 3n * euro);
    const funds = (await askCli<ShownMove[]>(service, "treasury", "list", "--kind", "fund")).filter(
      ({ causeId }) => causeId === id,
    );
    expect(funds).toHaveLength(1);
    expect(await untilEnded(funds[0] ?? { id: "" })).toMatchObject({ status: "DONE", amount: "3" });
  });

  test("at any commit of a sweep, whose block is removed, moves the money once", async () => {
    const before = await holdingOf(policy().settlementAddress);
    const { id } = await move("sweep", "4");
    expect(await runDying(id)).toMatchObject({ status: "DONE" });
    await reorganise(service, 2);
    await until(async () => (await holdingOf(policy().settlementAddress)) === before - 4n * euro);
    expect(await untilEnded({ id })).toMatchObject({ status: "DONE" });
    expect([await holdingOf(policy().settlementAddress), await findShortfall(service.runtime)]).toEqual([
      before - 4n * euro,
      null,
    ]);
  });
});

describe("an order of a redeem", () => {
  const isRedeem = eq(treasuryMoves.kind, "redeem");
  afterEach(async () => {
    institution.interceptAll(null);
    await service.runtime.db.delete(treasuryMoves).where(and(isRedeem, eq(treasuryMoves.status, "FAILED")));
  });
  const ofGateway = () => new Response("<html><h1>404 Not Found</h1>", { status: 404 });
  const refuseAs = (code: number) => () => Response.json({ code, status: "Refused", message: "No" }, { status: code });
  /** Waits for what the jobs of moves do, whose pauses grow. */
  const untilJobs = (isDone: () => boolean | Promise<boolean>) =>
    until(async () => {
      await service.runtime.db
        .execute(sql`select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs
        where task_identifier = 'treasury.move' and locked_at is null), run_at := now())`);
      return isDone();
    });
  /** A redeem as it was planned, and signed an instant ago, and that no job carries out. */
  const insertSigned = async (change: Partial<typeof treasuryMoves.$inferInsert> = {}) => {
    const { db, services } = service.runtime;
    const [done] = await db
      .select()
      .from(treasuryMoves)
      .where(and(isRedeem, eq(treasuryMoves.status, "DONE")));
    if (!done) throw new Error("nothing was redeemed");
    const signedAt = await services.clock.now(db);
    const open = { status: "PLANNED", endedAt: null, hash: null, externalId: null } as const;
    const row = { ...done, ...open, id: randomUUID(), signedAt, createdAt: signedAt, ...change };
    await holdJob(service, "treasury.move", { moveId: row.id, requestId: "test" });
    await db.insert(treasuryMoves).values(row);
    const isRow = eq(treasuryMoves.id, row.id);
    const set = async (changed: Partial<typeof treasuryMoves.$inferInsert>) => {
      await db.update(treasuryMoves).set(changed).where(isRow);
    };
    await set({ status: "SIGNED" });
    return { id: row.id, set, read: async () => (await db.select().from(treasuryMoves).where(isRow))[0] };
  };

  test.each([
    ["a gateway's 404", "2.01", ofGateway, ofGateway],
    ["the institution's 404", "2.02", refuseAs(404), refuseAs(404)],
    ["a 404, and by a refusal for want of the money that it took", "2.03", refuseAs(404), refuseAs(400)],
  ])(
    "that is executed, whose answer is lost and followed by %s, is done once",
    async (_, amount, answerGet, answerPost) => {
      const before = await holdingOf(policy().treasuryAddress);
      const asked: string[] = [];
      let isBack = false;
      institution.interceptAll(async (request, forward) => {
        const isPost = request === "POST /emoney/api/orders";
        if (isBack || !(isPost || (asked.length > 0 && request.startsWith("GET /emoney/api/orders/"))))
          return forward();
        asked.push(request);
        if (!isPost) return answerGet();
        if (asked.length > 1) {
          isBack = answerPost().status === 400;
          return answerPost();
        }
        await forward();
        return null;
      });
      // The institution takes a message once, and two of one amount and second would be the same.
      const { id } = await move("redeem", amount);
      await untilJobs(() => asked.length > 2);
      isBack = true;
      const read = () => askCli<ShownMove>(service, "treasury", "show", id);
      await untilJobs(async () => ["DONE", "FAILED"].includes((await read()).status));
      expect(await read()).toMatchObject({ status: "DONE", externalId: id });
      expect(await holdingOf(policy().treasuryAddress)).toBe(before - parseUnits(amount, 18));
    },
  );

  test("that is processed before its transaction is named keeps its own burn, beside one of the same amount", async () => {
    institution.interceptAll(async (request, forward) => {
      const answer = await forward();
      if (!request.startsWith("GET /emoney/api/orders/") || answer.status !== 200) return answer;
      const { meta, ...order } = await answer.json();
      return Response.json({ ...order, meta: { ...meta, txHashes: undefined } });
    });
    const { treasuryAddress: from } = policy();
    const hashes: (string | null)[] = [];
    for (let count = 0; count < 2; count++) {
      const { hash } = await untilEnded(await move("redeem", "1.5"));
      const receipt = hash === null ? null : await service.runtime.chain.findReceipt(hash);
      const burns = listTransfersOf(receipt?.logs ?? []);
      expect(burns).toMatchObject([{ from, to: nativeToken, amount: (3n * euro) / 2n }]);
      hashes.push(hash);
    }
    expect(new Set(hashes).size).toBe(2);
  });

  test.each([
    ["beside its own", "0.51", true],
    ["alone", "0.52", false],
  ])("that names a transaction of something else %s keeps its own burn", async (_, amount, isOwnNamed) => {
    const [{ hash: other = null } = {}] = await askCli<ShownMove[]>(service, "treasury", "list", "--kind", "sweep");
    expect(other).toStartWith("0x");
    institution.interceptAll(async (request, forward) => {
      const answer = await forward();
      if (!request.startsWith("GET /emoney/api/orders/") || answer.status !== 200) return answer;
      const { meta, ...order } = await answer.json();
      const own: string[] = meta.txHashes ?? [];
      const txHashes = [`0x${"1".repeat(64)}`, other, ...(isOwnNamed ? own : [])];
      return Response.json({ ...order, meta: { ...meta, txHashes: own.length === 0 ? undefined : txHashes } });
    });
    const { hash } = await untilEnded(await move("redeem", amount));
    const receipt = hash === null ? null : await service.runtime.chain.findReceipt(hash);
    const burn = { from: policy().treasuryAddress, to: nativeToken, amount: parseUnits(amount, 18) };
    expect(listTransfersOf(receipt?.logs ?? [])).toMatchObject([burn]);
  });

  test("whose burn neither is named nor on chain waits for it for a day after it was processed", async () => {
    const ctx = worker();
    const run = async (moveId: string, processedAt: Date) => {
      const findRedeem = async () => ({ state: "processed" as const, txHashes: [], processedAt, rejectedReason: null });
      await carryOutMove({ ...ctx, emoney: { ...ctx.emoney, findRedeem } }, { moveId });
    };
    const sent = await insertSigned({ destination: "DE89370400440532013000" });
    await sent.set({ status: "SENT" });
    const now = await ctx.clock.now(ctx.db);
    await run(sent.id, new Date(now.getTime() - 86_000_000));
    expect(await sent.read()).toMatchObject({ status: "SENT" });
    await run(sent.id, new Date(now.getTime() - 86_400_000));
    expect(await sent.read()).toMatchObject({ status: "DONE", hash: null });
  });

  test("that the institution itself refuses has failed; that another answers so is placed again, for a day", async () => {
    institution.interceptAll(async (request, forward) =>
      request === "POST /emoney/api/orders" ? refuseAs(400)() : forward(),
    );
    const refused = await untilEnded(await move("redeem", "2"));
    expect(refused).toMatchObject({ status: "FAILED", failure: expect.stringContaining("The institution refuses it") });
    const ctx = worker();
    const now = await ctx.clock.now(ctx.db);
    for (const code of [401, 403, 404]) {
      const emoney = {
        ...ctx.emoney,
        findRedeem: async () => null,
        placeRedeem: () => Promise.reject(new ProviderRefused(code, "No")),
      };
      const young = await insertSigned({ createdAt: new Date(now.getTime() - 86_000_000) });
      const run = (moveId: string) => carryOutMove({ ...ctx, emoney }, { moveId });
      await expect(run(young.id)).rejects.toBeInstanceOf(ProviderRefused);
      expect(await young.read()).toMatchObject({ status: "SIGNED", failure: null });
      const old = await insertSigned({ createdAt: new Date(now.getTime() - 87_000_000) });
      await run(old.id);
      expect(await old.read()).toMatchObject({ status: "FAILED" });
      await young.set({ status: "FAILED", endedAt: now });
    }
  });

  test("whose IBAN is taken off the list fails only where the institution has none once its signature is too old", async () => {
    const ctx = worker();
    const destination = "DE89370400440532013000";
    const run = (moveId: string, state: "processed" | null) => {
      const findRedeem = async () => state && { state, txHashes: [], processedAt: new Date(0), rejectedReason: null };
      return carryOutMove({ ...ctx, emoney: { ...ctx.emoney, findRedeem } }, { moveId });
    };
    const young = await insertSigned({ destination });
    await run(young.id, null);
    expect(await young.read()).toMatchObject({ status: "SIGNED" });
    await young.set({ signedAt: new Date(0) });
    await untilJobs(async () => (await young.read())?.status === "FAILED");
    // What was answered without the order has been signed anew, and the institution has it.
    const placed = await insertSigned({ destination });
    await placed.set({ status: "PLANNED" });
    for (const status of ["SIGNED", "SENT", "DONE"]) {
      await run(placed.id, "processed");
      expect(await placed.read()).toMatchObject({ status });
    }
  });
});

test("money that was sent to the issuer and is not there a bank day after it was due covers nothing, and the doctor names it", async () => {
  const { db, services } = service.runtime;
  const fund = await move("fund", "77");
  expect(fund).toMatchObject({ account: { iban: fund.destination, name: expect.any(String) } });
  const inTransit = async () => (await listCover(db)).find(({ currency }) => currency === "EUR")?.inTransitCents;
  await until(async () => (await inTransit()) === 7_700n);
  expect((await checkCover(services)).text).not.toContain(fund.id);
  const longAgo = new Date(Date.now() - 10 * 86_400_000);
  await db.update(treasuryMoves).set({ createdAt: longAgo }).where(eq(treasuryMoves.id, fund.id));
  await until(async () => (await inTransit()) === 0n);
  const found = await checkCover(services);
  expect([found.severity, found.text]).toEqual(["warning", expect.stringContaining(`treasury give-up ${fund.id}`)]);
  await move("give-up", fund.id);
  expect((await checkCover(services)).text).not.toContain(fund.id);
});

describe("the money of a redeem that the institution processed days after it was signed", () => {
  const longAgo = new Date(Date.now() - 10 * 86_400_000);
  /** The announced money of such a redeem of 79.00. The sandbox has no order of it: no job carries it out, and no money arrives. */
  const redeemLate = async (change: Partial<typeof treasuryMoves.$inferInsert> = {}) => {
    const { db } = service.runtime;
    const [done] = await db.select().from(treasuryMoves).where(eq(treasuryMoves.kind, "redeem"));
    if (!done) throw new Error("nothing was redeemed");
    const id = randomUUID();
    await holdJob(service, "treasury.move", { moveId: id, requestId: "test" });
    const sent = { status: "SENT", amount: 79n * euro, signedAt: longAgo, createdAt: longAgo, endedAt: null } as const;
    await db.insert(treasuryMoves).values({ ...done, ...sent, id, hash: null, externalId: id, ...change });
    const processed = { state: "processed", processedAt: longAgo } as const;
    const findRedeem = async () => ({ ...processed, txHashes: [], rejectedReason: null });
    const ctx = worker();
    await carryOutMove({ ...ctx, emoney: { ...ctx.emoney, findRedeem } }, { moveId: id });
    const [fund] = await db.select().from(treasuryMoves).where(eq(treasuryMoves.causeId, id));
    if (!fund) throw new Error("nothing is announced");
    return { id, fund };
  };

  test("is under way from then on", async () => {
    const { db, services } = service.runtime;
    const { id, fund } = await redeemLate();
    expect(fund).toMatchObject({ kind: "fund", status: "SENT", createdAt: longAgo });
    expect((await checkCover(services)).text).not.toContain(fund.id);
    await until(async () => (await listCover(db)).some(({ inTransitCents }) => inTransitCents === 7_900n));
    await db.update(treasuryMoves).set({ endedAt: longAgo }).where(eq(treasuryMoves.id, id));
    await until(async () => (await listCover(db)).every(({ inTransitCents }) => inTransitCents === 0n));
    expect((await checkCover(services)).text).toContain(`treasury give-up ${fund.id}`);
    await move("give-up", fund.id);
  });

  test("leaves the transit of the books for the bank once it is given up: what the issuer lists then is against that", async () => {
    const { id, fund } = await redeemLate();
    const sent = { "treasury:EUR": -79n * euro };
    await postFinal(service);
    expect(await sumByAccount(service, [id, fund.id])).toEqual({ ...sent, "transit:EUR": 79n * euro });
    await move("give-up", fund.id);
    // An earlier version passed over it, long ago.
    await service.ownerDb.execute(sql`
      update book_cursors set source = 'moves', reached_at = reached_at + interval '10 days' where source like '%oves'`);
    for (let runs = 0; runs < 2; runs++) await postFinal(service);
    expect(await sumByAccount(service, [id, fund.id])).toEqual({ ...sent, "bank:EUR": 79n * euro });
  });

  test("is there as the top-up that came before that, days before the newest one", async () => {
    const { db } = service.runtime;
    const topUp = { currency: "EUR", moveId: null, createdAt: new Date() };
    const arrivals = [
      { id: "txn_before_the_answer", amountCents: 7_900n, arrivedAt: new Date(Date.now() - 5 * 86_400_000) },
      { id: "txn_newest", amountCents: 1n, arrivedAt: new Date() },
    ];
    await db.insert(issuerTopUps).values(arrivals.map((arrival) => ({ ...topUp, ...arrival })));
    const { fund } = await redeemLate();
    await readIssuerMoney(worker());
    const [ended] = await db.select().from(treasuryMoves).where(eq(treasuryMoves.id, fund.id));
    expect(ended).toMatchObject({ status: "DONE", externalId: "txn_before_the_answer" });
  });

  test.each([
    ["after it was planned and before it was signed anew", 60_000],
    ["before it was planned, by the clock of the issuer", -45_000],
  ])("is there as the top-up that came %s", async (_, arrivedAfterMs) => {
    const { db } = service.runtime;
    const id = `txn_${arrivedAfterMs}`;
    const amountCents = 8_100n + BigInt(arrivedAfterMs > 0);
    const arrivedAt = new Date(longAgo.getTime() + arrivedAfterMs);
    await db
      .insert(issuerTopUps)
      .values({ id, currency: "EUR", amountCents, arrivedAt, moveId: null, createdAt: new Date() });
    const { fund } = await redeemLate({
      amount: (amountCents * euro) / 100n,
      signedAt: new Date(longAgo.getTime() + 300_000),
    });
    await readIssuerMoney(worker());
    const [ended] = await db.select().from(treasuryMoves).where(eq(treasuryMoves.id, fund.id));
    expect(ended).toMatchObject({ status: "DONE", externalId: id });
  });
});

test("a move that one job signs while another is refused stays signed", async () => {
  const ctx = worker();
  const [planned] = await service.runtime.db.select().from(treasuryMoves).where(eq(treasuryMoves.kind, "sweep"));
  if (!planned) throw new Error("nothing was swept");
  const undone = new Error("undone");
  const ended = ctx.commit(async (work) => {
    const is = eq(treasuryMoves.id, planned.id);
    const setTo = async (status: "PLANNED" | "SIGNED") => {
      const [row] = await work.tx.update(treasuryMoves).set({ status, endedAt: null }).where(is).returning();
      return row ?? planned;
    };
    const read = await setTo("PLANNED");
    await setTo("SIGNED");
    await failMove({ ...ctx, commit: (write) => write(work) }, read, "The chain refuses it");
    expect(await work.tx.select().from(treasuryMoves).where(is)).toMatchObject([{ status: "SIGNED", failure: null }]);
    throw undone;
  });
  await expect(ended).rejects.toBe(undone);
});

test("an approval that waited while the spender's key was replaced gives the former one nothing", async () => {
  const { db } = service.runtime;
  const former = ada.person.account.address;
  const [swept] = await db.select().from(treasuryMoves).where(eq(treasuryMoves.kind, "sweep"));
  if (!swept) throw new Error("nothing was swept");
  const asked = { kind: "approve", amount: 100n * euro, destination: former, status: "PLANNED" } as const;
  const planned = { ...swept, ...asked, id: randomUUID(), endedAt: null, hash: null, externalId: null };
  await holdJob(service, "treasury.move", { moveId: planned.id, requestId: "test" });
  await db.insert(treasuryMoves).values(planned);
  await carryOutMove(worker(), { moveId: planned.id });
  const [ended] = await db.select().from(treasuryMoves).where(eq(treasuryMoves.id, planned.id));
  expect(ended).toMatchObject({ status: "FAILED", failure: expect.stringContaining("replaced") });
  const { chain } = service.runtime;
  expect(await chain.getApproval({ token: eure, owner: policy().settlementAddress, spender: former })).toBe(0n);
});

test("a stop of the treasury gives no spender more, and what each may return is still taken from it", async () => {
  const { db, chain } = service.runtime;
  const [token, owner, spender] = [tokens.USDCe, policy().settlementAddress, policy().spenderAddress];
  const former = ada.person.account.address;
  const readLeft = (of: `0x${string}`) => chain.getApproval({ token: token.address, owner, spender: of });
  const setStop = (to: "on" | "off") => runCliOn(service.runtime, "stops", "set", "treasury", to, "--reason", "stolen");
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [former, 5n] });
  await openNode(service.rpcUrl).sendAs(owner, { to: token.address, data });
  await until(async () => (await readLeft(spender)) > 0n);
  await setStop("on");
  const stopped = { ...worker(), policy: { ...policy(), formerSpenderAddresses: [former] } };
  await renewApprovals(stopped);
  await until(async () => (await readLeft(former)) === 0n);

  const [ended] = await db.select().from(treasuryMoves).where(eq(treasuryMoves.kind, "approve"));
  if (!ended) throw new Error("nothing was approved");
  // The stop holds it up, and no job carries it out.
  const asked = { token: token.symbol, amount: 5n, source: owner, destination: spender, status: "PLANNED" } as const;
  const open = { ...ended, ...asked, id: randomUUID(), endedAt: null, hash: null, externalId: null };
  const ofTreasury = { ...open, id: randomUUID(), source: policy().treasuryAddress };
  for (const { id } of [open, ofTreasury]) await holdJob(service, "treasury.move", { moveId: id, requestId: "test" });
  await db.insert(treasuryMoves).values([open, ofTreasury]);
  const refused = await runCliOn(service.runtime, "treasury", "approve", "5", "--currency", "USD", ...why);
  expect(refused.err).toContain("stopped");
  expect(await untilEnded(await move("approve", "0", "--currency", "USD"))).toMatchObject({ status: "DONE" });
  const readStatus = async ({ id }: { id: string }) =>
    (await db.select().from(treasuryMoves).where(eq(treasuryMoves.id, id)))[0]?.status;
  expect([await readStatus(open), await readStatus(ofTreasury)]).toEqual(["FAILED", "PLANNED"]);
  await db.delete(treasuryMoves).where(eq(treasuryMoves.id, ofTreasury.id));
  await renewApprovals(stopped);
  const planned = await db.select().from(treasuryMoves).where(eq(treasuryMoves.status, "PLANNED"));
  expect([planned, await readLeft(spender)]).toEqual([[], 0n]);
  await setStop("off");
  await carryOutMove(worker(), { moveId: open.id });
  expect(await readStatus(open)).toBe("FAILED");
});

describe("a node that lags makes the worker", () => {
  const owner = () => policy().settlementAddress;
  const token = tokens.GBPe;
  const listApprovals = async () =>
    (await service.runtime.db.select().from(treasuryMoves).where(eq(treasuryMoves.kind, "approve"))).filter(
      (each) => each.token === token.symbol && each.source === owner(),
    );
  const approve = (spender: `0x${string}`, amount: bigint) =>
    openNode(service.rpcUrl).sendAs(owner(), {
      to: token.address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] }),
    });

  /** Looks anew through a node that lacks the block of the last approval, also where another node names the head. */
  async function lookBehind(env: Record<string, string>, act: (away: Runtime) => Promise<void>): Promise<void> {
    const proxy = startRpcProxy(service.rpcUrl);
    const away = await createRuntime(readSettings({ ...service.env, ...env, RPC_URL: proxy.url }), "worker");
    try {
      await act(away);
      await until(async () => (await listApprovals()).every(({ endedAt }) => endedAt !== null));
      const before = await listApprovals();
      const ends = before.map(({ endedBlock }) => endedBlock ?? 0n);
      const staleAt = ends.reduce((last, each) => (each > last ? each : last)) - 1n;
      proxy.mood = { staleAt };
      await renewApprovals(createWorkerContext(away));
      expect(await listApprovals()).toEqual(before);
      const nameHead: Parameters<typeof proxy.intercept>[1] = (forward) => {
        proxy.intercept("eth_getBlockByNumber", nameHead);
        return forward();
      };
      proxy.intercept("eth_getBlockByNumber", nameHead);
      await renewApprovals(createWorkerContext(away));
      expect(await listApprovals()).toEqual(before);
    } finally {
      await away.close();
      proxy.stop();
    }
  }

  test("renew no approval a second time, also where another node named its head", () =>
    lookBehind({}, async (away) => {
      await until(async () => (await listApprovals()).every(({ endedAt }) => endedAt !== null));
      const { length } = await listApprovals();
      await approve(policy().spenderAddress, 0n);
      await renewApprovals(createWorkerContext(away));
      expect(await listApprovals()).toHaveLength(length + 1);
    }));

  test("end no approval of a former spender a second time", () => {
    const former = ada.person.account.address;
    return lookBehind({ FORMER_SPENDER_ADDRESSES: former }, async (away) => {
      await approve(former, 5n);
      await renewApprovals(createWorkerContext(away));
      expect((await listApprovals()).some(({ destination }) => destination === former)).toBe(true);
    });
  });
});

describe("an adversary", () => {
  const spender = () => policy().spenderAddress;
  const send = (from: `0x${string}`, data: `0x${string}`) => openNode(service.rpcUrl).sendAs(from, { to: eure, data });
  const transferFrom = (amount: bigint) =>
    encodeFunctionData({
      abi: erc20Abi,
      functionName: "transferFrom",
      args: [policy().settlementAddress, ada.person.account.address, amount],
    });

  test("who puts an own IBAN on the allow-list waits a day, and one human is no second person", async () => {
    const { runtime } = service;
    const iban = "DE89370400440532013000";
    const persons = await openTwoPersons(runtime, ["treasury.allow", "treasury.redeem"]);
    const id = await persons.ask((ctx) => allowDestination(ctx, { destination: iban, label: "Mallory" }));
    await expect(persons.approve("ada", id)).rejects.toMatchObject({ code: "approvals.own" });
    await persons.approve("grace", id);
    const asked = { amount: "1", currency: "EUR", iban } as const;
    await expect(redeem(operatorOf(runtime, "mine"), asked)).rejects.toMatchObject({ code: "treasury.not_allowed" });
    await fetch(`${service.sandboxUrl}/chain/advance`, { method: "POST", body: JSON.stringify({ seconds: 86_401 }) });
    // Their sessions ended meanwhile.
    const later = await openTwoPersons(runtime, ["treasury.redeem"]);
    const wanted = await later.ask((ctx) => redeem(ctx, asked));
    // Taken off the list in between: what was asked for is not carried out.
    await disallowDestination(operatorOf(runtime, "seen"), { destination: iban });
    await expect(later.approve("grace", wanted)).rejects.toMatchObject({ code: "treasury.not_allowed" });
  });

  test("who asks for a redeem twice at once gets one", async () => {
    const both = await Promise.allSettled(
      [1, 2].map(() => redeem(operatorOf(service.runtime, "twice"), { amount: "5", currency: "EUR" })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const before = await holdingOf(policy().treasuryAddress);
    const done = both.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    await untilEnded(done[0] ?? { id: "" });
    expect(await holdingOf(policy().treasuryAddress)).toBe(before - 5n * euro);
  });

  test("with the spender's key takes no more than the approvals of a day, and then none is given", async () => {
    await give(ada.person, policy().settlementAddress, 30_000n * euro);
    const approval = (euro * BigInt(policy().spenderApprovalCents)) / 100n;
    const readLeft = () =>
      service.runtime.chain.getApproval({ token: eure, owner: policy().settlementAddress, spender: spender() });
    const left = await readLeft();
    expect(left).toBeLessThanOrEqual(approval);
    await expect(send(spender(), transferFrom(left + 1n))).rejects.toThrow();
    await send(spender(), transferFrom(left));
    // Beyond the ledger there was more than was taken, so the worker cannot know: it renews, as often as the settings say.
    let taken = left;
    for (let round = 1; round < policy().spenderApprovalsPerDay; round++) {
      await renewApprovals(worker());
      await until(async () => (await readLeft()) === approval);
      await send(spender(), transferFrom(approval));
      taken += approval;
    }
    await renewApprovals(worker());
    expect(await readLeft()).toBe(0n);
    expect(taken).toBeLessThanOrEqual(approval * BigInt(policy().spenderApprovalsPerDay));
  });
});

test("a return beyond the approval waits as a case, until operators approve more", async () => {
  const { db } = service.runtime;
  const readCase = async () => (await db.select().from(cardCases).where(eq(cardCases.kind, "return_waiting")))[0];
  // While the last renewal is under way, the return waits for it and is no case.
  await until(async () => (await budget()) === "used");
  await follow(ada, threadId, "refund", { amount: 1_000 });
  await until(async () => (await readCase())?.status === "OPEN");
  expect(await readCase()).toMatchObject({ amountCents: 1_000n, currency: "EUR" });
  await untilEnded(await move("approve", "50"));
  const [waiting] = await db.select().from(liveTransfers).where(eq(liveTransfers.status, "PLANNED"));
  await enqueue(db, "card.transfer", { transferId: waiting?.id ?? "", requestId: "test" });
  await untilSettled(service);
  expect(await readCase()).toMatchObject({ status: "CLOSED", closeReason: "The money went back" });
});

test("a sweep that reverted and failed moves nothing after a reorganisation removes its block", async () => {
  const { db } = service.runtime;
  const { client } = openNode(service.rpcUrl);
  const { settlementAddress } = policy();
  await client.mine({ blocks: 12 });
  const before = await holdingOf(settlementAddress);
  // It is signed while the account has the money, and mined after that is gone.
  await client.setAutomine(false);
  await client.setIntervalMining({ interval: 0 });
  const { id } = await move("sweep", "4");
  const findSent = async () => (await listRelayTransactions(db, id))[0];
  await until(async () => (await findSent())?.attempts[0]?.broadcastAt != null);
  await setHolding(service, settlementAddress, 0n);
  await client.setAutomine(true);
  await client.setIntervalMining({ interval: 1 });
  await until(async () => (await findSent())?.transaction.status === "REVERTED");
  const findMove = async () => (await db.select().from(treasuryMoves).where(eq(treasuryMoves.id, id)))[0];
  await until(async () => {
    await db.execute(sql`select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs
      where task_identifier = 'treasury.move' and locked_at is null), run_at := now())`);
    return (await findMove())?.status === "FAILED";
  });
  const block = (await findSent())?.transaction.blockNumber ?? 0n;
  const isThere = async () => (await holdingOf(settlementAddress)) === 0n;
  // A block mined meanwhile makes it reach less far.
  while (await isThere()) {
    const head = await client.getBlockNumber({ cacheTime: 0 });
    await reorganise(service, Number(head - block) + 2);
  }
  await until(async () => (await findSent())?.transaction.status === "MINED");
  expect(await holdingOf(settlementAddress)).toBe(before);
  expect(await findMove()).toMatchObject({ status: "FAILED" });
});
