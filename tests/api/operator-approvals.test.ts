import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countSealed } from "@cardkeep/db/queries/core/sealed";
import { findPartner, updatePartner } from "@cardkeep/db/queries/partners/partners";
import { findCard, lockCard } from "@cardkeep/db/queries/cards/cards";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { Risk } from "@cardkeep/db/schema/users/users";
import { type CardStatus, cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { unfreezeCardFor } from "@cardkeep/domain/cards/cards/changeCardFor";
import { changeStatus } from "@cardkeep/domain/cards/cards/changeStatus";
import { answerQuestions } from "@cardkeep/domain/verification/sourceOfFunds/answerQuestions";
import { defaultQuestions } from "@cardkeep/domain/verification/sourceOfFunds/defaultQuestions";
import { currencyOf, renderAnswer } from "@cardkeep/domain/verification/sourceOfFunds/questionSet";
import { type OperatorActor, sandboxOperator } from "@cardkeep/domain/core/actor";
import { createContext, createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import {
  approveRequest,
  countApprovals,
  getApproval,
  listApprovals,
  rejectRequest,
} from "@cardkeep/domain/operations/executors/decideApproval";
import { expireApprovals } from "@cardkeep/domain/operators/approvals/expireApprovals";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { ApprovalNeeded } from "@cardkeep/domain/operators/approvals/requireApproval";
import { twoPersonVerbs } from "@cardkeep/domain/core/operators/verbs";
import { verifyActions } from "@cardkeep/domain/core/operators/verifyActions";
import { changePartner, setPartnerStatus } from "@cardkeep/domain/partners/partners/changePartner";
import { createPartner, newPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { authenticatePartner, rotatePartnerKey } from "@cardkeep/domain/partners/partners/keys";
import { createRule, deleteRule, setRuleState } from "@cardkeep/domain/cards/ruleChanges/changeRules";
import { getRule } from "@cardkeep/domain/cards/ruleChanges/getRule";
import { setRisk } from "@cardkeep/domain/verification/sourceOfFunds/setRisk";
import { eraseAgain, erasedAgainMax } from "@cardkeep/domain/users/users/eraseAgain";
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { endSessions } from "@cardkeep/domain/operators/operatorSessions/sessions";
import { listStops, setStop } from "@cardkeep/domain/operators/stops/setStop";
import { approveSpender } from "@cardkeep/domain/treasury/approvals/approveSpender";
import { contribute, type MoveInput, sweep } from "@cardkeep/domain/treasury/moves/sweep";
import { createServer } from "@cardkeep/server/server";
import { approvals } from "@cardkeep/desk/nouns/approvals";
import { listMessages } from "@cardkeep/db/queries/users/messages";
import { listSignInWallets } from "@cardkeep/db/queries/users/users";
import { addWalletFor, removeWalletFor } from "@cardkeep/domain/users/signInWallets/changeWalletsFor";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { writeSessionSecret } from "@cardkeep/cli/sessionFile";
import { SecretUnreadable } from "@cardkeep/domain/core/secrets/secrets";
import { partnerKeys, personKeys } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beginOperatorSession } from "../support/operator.ts";
import { mainOf } from "../support/bundles.ts";
import { runCliOn } from "../support/cli.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { findFreePorts } from "../support/ports.ts";
import { production } from "../support/production.ts";

let database: TestDatabase;
let runtime: Runtime;
beforeAll(async () => {
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "warn" };
  const two = twoPersonVerbs.join(", ");
  runtime = await createRuntime(readSettings({ ...env, OPERATOR_TWO_PERSONS: two }), "server");
  [ada, grace] = [person("ada"), person("grace")];
  await signIn("ada");
  for (const id of ["shop", "bank", "race", "due", "busy", "back", "near", "far", "once", "twice", "keys"])
    await createPartner(as(ada), newPartner.parse({ id, name: id }));
});
afterAll(async () => {
  await runtime.close();
  await database.drop();
});

const person = (name: string, change: Partial<OperatorActor> = {}): OperatorActor => ({
  ...sandboxOperator,
  id: `${runtime.settings.openid?.issuer}#${name}`,
  name,
  via: "page",
  proof: "oidc",
  ...change,
});
let ada: OperatorActor;
let grace: OperatorActor;

/** Signs a person of the sandbox's provider in. */
const signIn = (name: string, groups = ["operators-admin"]): Promise<{ id: string; secret: string }> =>
  beginOperatorSession(runtime, { name, groups, way: "page" });

const as = (actor: OperatorActor, reason: string | null = null): OperatorContext =>
  createOperatorContext(runtime.services, { log: runtime.log, requestId: `of-${actor.name}`, actor, reason });

/** The id of the request that a verb stored instead of running. */
const ask = async (run: Promise<unknown>): Promise<string> => {
  const error = await run.catch((thrown: unknown) => thrown);
  if (!(error instanceof ApprovalNeeded)) throw new Error(`It asked for no approval: ${String(error)}`);
  expect(error).toMatchObject({ code: "operators.approval_needed", details: { approvalId: error.request.id } });
  return error.request.id;
};
const disable = (actor: OperatorActor, id: string, reason: string | null = null) =>
  setPartnerStatus(as(actor, reason), { id, status: "DISABLED" });
const statusOf = async (id: string) => (await findPartner(runtime.db, id))?.status;
const actionsOn = async (subjectId: string) =>
  (await listActions(runtime.services, { subjectId, limit: 50 })).map(({ verb }) => verb).toReversed();

let users = 0;
async function addUser(): Promise<string> {
  users += 1;
  const id = `user-${users}`;
  await runtime.db.execute(sql`insert into users (id, email, kyc_status, created_at)
    values (${id}, ${`${id}@example.org`}, 'approved', now())`);
  return id;
}

/** Gives answers that are worth a risk, as the user. */
async function answer(userId: string, risk: Risk): Promise<void> {
  const ctx = createContext(runtime.services, { log: runtime.log, requestId: "answers" });
  const given = defaultQuestions.map(({ question, answers }) => {
    const chosen = answers.find((each) => each.risk === risk) ?? answers[0];
    return { question, answer: renderAnswer(chosen?.text ?? "", currencyOf("de-DE")) };
  });
  const actor = { userId, signerAddress: `0x${"1".repeat(40)}` } as const;
  await ctx.commit(await answerQuestions({ ...ctx, actor }, given));
}

/** An active card of a new user. */
async function addCard(): Promise<string> {
  const id = await addUser();
  await runtime.db.execute(sql`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address,
      bouncer_address, first_owner, set_up_by, creator, spender, token_symbol, daily_limit, cooldown_seconds,
      expiration_seconds, status, request_id, created_at, updated_at)
    values (${id}, ${id}, 1, '0x1', '0x2', '0x3', '0x4', '0x5', 'operator', '0x6', '0x7', 'EURe', 1, 180, 1800, 'ok', 'r',
      now(), now())`);
  await runtime.db
    .execute(sql`insert into cards (id, user_id, safe_id, card_token, last_four_digits, virtual, status_code,
      activated_at, expires_at, issuer_status, issuer_synced_status, request_id, created_at, updated_at)
    values (${id}, ${id}, ${id}, ${id}, '4242', true, '1000', now(), now() + interval '1 year', 'active', 'active', 'r',
      now(), now())`);
  return id;
}

describe("a change that needs two persons", () => {
  test("is stored and not run, and runs once another operator approves it, under both names", async () => {
    const id = await ask(disable(ada, "shop", "Fraud"));
    expect(await statusOf("shop")).toBe("ACTIVE");
    const request = await approveRequest(as(grace, "I saw it too"), { id });
    expect(request).toMatchObject({ status: "APPROVED", askedByName: "ada", decidedByName: "grace" });
    expect(await statusOf("shop")).toBe("DISABLED");
    const [run, approval] = await listActions(runtime.services, { limit: 2 });
    expect(run).toMatchObject({
      verb: "partners.disable",
      operatorId: ada.id,
      reason: "Fraud",
      approvalId: id,
      approverId: grace.id,
      approverName: "grace",
      requestId: "of-grace",
      before: { status: "ACTIVE" },
      after: { status: "DISABLED" },
    });
    expect(approval).toMatchObject({ verb: "approvals.approve", operatorId: grace.id, reason: "I saw it too" });
    expect(await actionsOn(id)).toEqual(["approvals.ask", "approvals.approve"]);
    expect((await verifyActions(runtime.services)).faults).toEqual([]);
  });

  test("is never approved by the one who asked, by the shared key, or without a role for it", async () => {
    const id = await ask(disable(ada, "bank"));
    const key = person("shared key", { id: "key", proof: "key" });
    for (const [actor, code] of [
      [ada, "approvals.own"],
      [person("ada again", { id: ada.id, via: "cli" }), "approvals.own"],
      [key, "operators.person_required"],
      [person("root at host", { id: "machine:host/root", via: "cli", proof: "machine" }), "operators.person_required"],
      [person("viewer", { roles: ["viewer"] }), "operators.forbidden"],
      [person("finance", { roles: ["finance"] }), "operators.forbidden"],
    ] as const)
      await expect(approveRequest(as(actor), { id })).rejects.toMatchObject({ code });
    await expect(rejectRequest(as(person("finance", { roles: ["finance"] })), { id })).rejects.toMatchObject({
      code: "operators.forbidden",
    });
    expect([await statusOf("bank"), (await getApproval(runtime.services, { id })).status]).toEqual([
      "ACTIVE",
      "WAITING",
    ]);
    expect(await rejectRequest(as(ada), { id })).toMatchObject({ status: "REJECTED", decidedByName: "ada" });
    await expect(approveRequest(as(grace), { id })).rejects.toMatchObject({ code: "approvals.ended" });
    expect(await statusOf("bank")).toBe("ACTIVE");
  });

  test("is asked for only by an operator whose role may do it", async () => {
    const before = await countApprovals(runtime.services);
    const finance = person("finance", { roles: ["finance"] });
    await expect(disable(finance, "bank")).rejects.toMatchObject({ code: "operators.forbidden" });
    expect(await countApprovals(runtime.services)).toBe(before);
  });

  test("runs once, however many approve it at once", async () => {
    const id = await ask(disable(ada, "race"));
    const approvers = Array.from({ length: 8 }, (_, index) => person(`approver-${index}`));
    const outcomes = await Promise.allSettled(approvers.map((actor) => approveRequest(as(actor), { id })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of filled(outcomes))
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "approvals.ended" });
    expect((await actionsOn("race")).filter((verb) => verb === "partners.disable")).toHaveLength(1);
    expect(await actionsOn(id)).toEqual(["approvals.ask", "approvals.approve"]);
  });

  test("asked twice is one request; with another input it is another one", async () => {
    const user = await addUser();
    const risk = (level: "green" | "red") => setRisk(as(ada), { reference: `${user}@example.org`, risk: level });
    const ids = await Promise.all([ask(risk("red")), ask(risk("red")), ask(risk("red"))]);
    expect(new Set(ids).size).toBe(1);
    expect(await ask(risk("green"))).not.toBe(ids[0]);
    // The mail address is resolved before it is stored, so that the log and the request hold none.
    expect((await getApproval(runtime.services, { id: ids[0] })).input).toEqual({
      reference: user,
      risk: "red",
      from: null,
      answersId: null,
    });
    await approveRequest(as(grace), { id: ids[0] });
    expect(await findUser(runtime.db, user)).toMatchObject({ sourceOfFundsRisk: "red" });
  });

  test("is approved of the answers it was asked about: worse or other ones since then have to be asked about anew", async () => {
    const user = await addUser();
    const judge = () => ask(setRisk(as(ada), { reference: user, risk: "green" }));
    const riskOf = async () => (await findUser(runtime.db, user))?.sourceOfFundsRisk;
    await answer(user, "orange");
    const first = await judge();
    await answer(user, "red");
    await expect(approveRequest(as(grace), { id: first })).rejects.toMatchObject({ code: "approvals.changed" });
    expect(await riskOf()).toBe("red");
    const second = await judge();
    // The risk stays, and the answers are others.
    await answer(user, "green");
    await expect(approveRequest(as(grace), { id: second })).rejects.toMatchObject({ code: "approvals.changed" });
    expect(await riskOf()).toBe("red");
    await approveRequest(as(grace), { id: await judge() });
    expect(await riskOf()).toBe("green");
  });

  test("makes a risk worse also where the user answers again before it is approved", async () => {
    const user = await addUser();
    const riskOf = async () => (await findUser(runtime.db, user))?.sourceOfFundsRisk;
    await answer(user, "green");
    const id = await ask(setRisk(as(ada), { reference: user, risk: "red" }));
    await answer(user, "orange");
    expect(await riskOf()).toBe("orange");
    await approveRequest(as(grace), { id });
    expect(await riskOf()).toBe("red");
    // The same risk as the present one holds off nothing either.
    const again = await ask(setRisk(as(ada), { reference: user, risk: "red" }));
    await answer(user, "green");
    await approveRequest(as(grace), { id: again });
    expect(await riskOf()).toBe("red");
  });

  test("unfreezes a card from the freeze it was asked about, and from no later one", async () => {
    const id = await addCard();
    const move = (to: CardStatus) =>
      createContext(runtime.services, { log: runtime.log, requestId: `to-${to}` }).commit(async (work) => {
        const card = await lockCard(work.tx, id);
        if (card === null) throw new Error("There is no such card");
        return changeStatus(work, card, to);
      });
    const statusCodeOf = async () => (await findCard(runtime.db, id))?.statusCode;
    const unfreeze = () => ask(unfreezeCardFor(as(ada, "The holder calls"), { reference: id }));
    await move(cardStatusCodes.frozen);
    const first = await unfreeze();
    // The issuer's calls touch the card, and leave its freeze.
    await runtime.db.execute(sql`update cards set updated_at = now() where id = ${id}`);
    expect(await unfreeze()).toBe(first);
    await move(cardStatusCodes.active);
    await move(cardStatusCodes.frozen);
    await expect(approveRequest(as(grace), { id: first })).rejects.toMatchObject({ code: "approvals.changed" });
    expect(await statusCodeOf()).toBe(cardStatusCodes.frozen);
    await approveRequest(as(grace), { id: await unfreeze() });
    expect(await statusCodeOf()).toBe(cardStatusCodes.active);
  });

  test("resumes a part from the stop it was asked about, and from no later one", async () => {
    const set = (isStopped: boolean, why: string) => ask(setStop(as(ada, why), { name: "withdrawals", isStopped }));
    const reasonOf = async () =>
      (await listStops(runtime.services)).find(({ name }) => name === "withdrawals")?.stop?.reason ?? null;
    await approveRequest(as(grace), { id: await set(true, "The first incident") });
    const resume = await set(false, "It is over");
    await approveRequest(as(grace), { id: await set(true, "The second incident") });
    await expect(approveRequest(as(grace), { id: resume })).rejects.toMatchObject({ code: "approvals.changed" });
    expect(await reasonOf()).toBe("The second incident");
    await approveRequest(as(grace), { id: await set(false, "It is over") });
    expect(await reasonOf()).toBeNull();
  });

  test("with as many ids as one may name is stored, is one when asked twice, and runs", async () => {
    const user = await addUser();
    const unknown = Array.from({ length: erasedAgainMax - 1 }, () => crypto.randomUUID());
    const eraseMany = () => ask(eraseAgain(as(ada), { userIds: [...unknown, user] }));
    const id = await eraseMany();
    expect(await eraseMany()).toBe(id);
    await approveRequest(as(grace), { id });
    expect((await findUser(runtime.db, user))?.erasedAt).toBeInstanceOf(Date);
  });

  test("of the treasury names its amount in one way, however it was written", async () => {
    const approve = (ctx: OperatorContext, given: MoveInput) => approveSpender(ctx, { ...given, account: "treasury" });
    const moves = [sweep, contribute, approve];
    for (const move of moves) {
      const ids = await Promise.all(
        ["10", "10.00", "10,00"].map((amount) => ask(move(as(ada), { amount, currency: "EUR" }))),
      );
      expect(new Set(ids).size).toBe(1);
      expect((await getApproval(runtime.services, { id: ids[0] ?? "" })).input["amount"]).toBe("10");
    }
  });

  test("whose user is gone fails, changes nothing, and leaves the request to be rejected", async () => {
    const user = await addUser();
    const id = await ask(eraseUser(as(ada), { reference: user }));
    await runtime.db.execute(sql`delete from users where id = ${user}`);
    const before = await verifyActions(runtime.services);
    await expect(approveRequest(as(grace), { id })).rejects.toMatchObject({ code: "users.not_found" });
    expect(await verifyActions(runtime.services)).toEqual(before);
    expect(await rejectRequest(as(grace), { id })).toMatchObject({ status: "REJECTED" });
  });

  test("ends after a day, as an action of the service, and is not run any more", async () => {
    const id = await ask(disable(ada, "due"));
    const days = await runtime.db.execute<{ seconds: number }>(
      sql`select extract(epoch from expires_at - asked_at)::int as seconds from operator_approvals where id = ${id}`,
    );
    expect(days[0]?.seconds).toBe(86_400);
    await runtime.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`update operator_approvals set expires_at = now() - interval '1 second' where id = ${id}`);
    });
    await expect(approveRequest(as(grace), { id })).rejects.toMatchObject({ code: "approvals.ended" });
    await Promise.all([1, 2, 3].map(() => expireApprovals({ ...as(ada), requestId: "expireApprovals" })));
    expect(await getApproval(runtime.services, { id })).toMatchObject({ status: "EXPIRED", decidedByName: "Cardkeep" });
    expect([await statusOf("due"), await actionsOn(id)]).toEqual(["ACTIVE", ["approvals.ask", "approvals.expire"]]);
    // The same may be asked for anew.
    expect(await ask(disable(ada, "due"))).not.toBe(id);
  });

  test("is not run by a verb that forgot to ask", async () => {
    const forgetful = as(ada).act("users.erase", async () => {
      throw new Error("ran");
    });
    expect(await forgetful.catch((error: unknown) => String(error))).toContain("needs a second person");
  });

  test("stays as it was decided: the database refuses everything else", async () => {
    const id = await ask(disable(ada, "busy"));
    for (const statement of [
      `update operator_approvals set input = '{}' where id = '${id}'`,
      `update operator_approvals set status = 'APPROVED', decided_by_id = asked_by_id, decided_at = now() where id = '${id}'`,
      `update operator_approvals set status = 'REJECTED', decided_at = now(), verb = 'users.erase' where id = '${id}'`,
      `update operator_approvals set status = 'WAITING', decided_at = null where status = 'APPROVED'`,
      `delete from operator_approvals where id = '${id}'`,
    ])
      await expect(runtime.db.execute(sql.raw(statement)).then(() => "done")).rejects.toMatchObject({
        cause: { code: "23514" },
      });
  });

  test("is asked for by a person alone: the machine's user and the shared key may be anybody", async () => {
    const before = await countApprovals(runtime.services);
    for (const change of [
      { id: "key", proof: "key" },
      { id: "machine:host/alice", via: "cli", proof: "machine" },
    ] as const)
      await expect(disable(person("somebody", change), "back")).rejects.toMatchObject({
        code: "operators.person_required",
      });
    const { code, err } = await runCliOn(runtime, "partners", "disable", "back", "--reason", "Left us");
    expect([code, err]).toEqual([1, expect.stringContaining("sign in by your name")]);
    expect(await countApprovals(runtime.services)).toBe(before);
    // A request of another version of the program, whose asker showed no person.
    const id = await ask(disable(ada, "back"));
    await runtime.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`update operator_approvals set asked_proof = 'machine' where id = ${id}`);
    });
    await expect(approveRequest(as(grace), { id })).rejects.toMatchObject({ code: "operators.person_required" });
    expect(await statusOf("back")).toBe("ACTIVE");
    await rejectRequest(as(grace), { id });
  });

  test("of a dismissed operator is not run", async () => {
    await signIn("joan");
    const joan = person("joan");
    const id = await ask(disable(joan, "back"));
    const end = (ending: "ended" | "logged-out") =>
      endSessions(
        createContext(runtime.services, { log: runtime.log, requestId: "end" }),
        { issuer: runtime.settings.openid?.issuer ?? "", subject: "joan" },
        ending,
      );
    await end("logged-out");
    await expect(approveRequest(as(grace), { id })).rejects.toMatchObject({ code: "approvals.asker_gone" });
    // Somebody who moved to another team has lost the role.
    await signIn("joan", ["operators-support"]);
    await expect(approveRequest(as(grace), { id })).rejects.toMatchObject({ code: "approvals.asker_gone" });
    expect([await statusOf("back"), (await getApproval(runtime.services, { id })).status]).toEqual([
      "ACTIVE",
      "WAITING",
    ]);
    await end("ended");
    await signIn("joan");
    expect(await approveRequest(as(grace), { id })).toMatchObject({ status: "APPROVED" });
    expect(await statusOf("back")).toBe("DISABLED");
  });

  test("is the activation of a rule, which can decline everybody", async () => {
    const definition = { conditions: [{ type: "amount", operator: "above", cents: 0 } as const] };
    const { rule } = await createRule(as(ada), { scope: "programme", name: "All", definition });
    const activate = (actor: OperatorActor) => setRuleState(as(actor), { id: rule.id, version: 1, state: "ACTIVE" });
    const stateOf = async () => (await getRule(runtime.services, { id: rule.id })).versions[0]?.state;
    const id = await ask(activate(ada));
    expect(await stateOf()).toBe("INACTIVE");
    await approveRequest(as(grace), { id });
    expect(await stateOf()).toBe("ACTIVE");
    // One person ends it at once.
    await deleteRule(as(ada), { id: rule.id });
    await expect(getRule(runtime.services, { id: rule.id })).rejects.toMatchObject({ code: "rules.not_found" });
  });

  test("is the change of a partner's endpoint, whose address and contact stay sealed until then", async () => {
    const change = { id: "busy", webhookUrl: "https://example.com/in/secret-path", email: "ops@example.org" };
    const { db, clock, secrets } = runtime.services;
    const countOfKey = async () => countSealed(db, { now: await clock.now(db), prefix: secrets.currentPrefix });
    const sealed = await countOfKey();
    const id = await ask(changePartner(as(ada), change));
    // The key that opens it stays until then.
    expect(await countOfKey()).toBe(sealed + 1);
    const { input } = await getApproval(runtime.services, { id });
    // Not the sealed text either.
    expect(input).toEqual({ id: "busy", webhookHost: "example.com", hasContact: true });
    expect((await listApprovals(runtime.services, { limit: 1 }))[0]?.input).toEqual(input);
    const [asked] = await listActions(runtime.services, { subjectId: id, limit: 1 });
    expect(asked?.after).toEqual({ verb: "partners.change", ...input });
    expect((await findPartner(runtime.db, "busy"))?.webhookUrl).toBeNull();
    // Who may approve it reads the whole of it, since many receivers may share a host. No other operator does.
    const shownTo = async (actor: OperatorActor) => approvals.show?.read(as(actor), id);
    const shown = await shownTo(grace);
    expect(shown?.data).toMatchObject({
      input,
      endpoint: { webhookUrl: { now: null, asked: change.webhookUrl }, contact: { now: null, asked: change.email } },
    });
    expect(JSON.stringify(shown?.fields)).toContain("secret-path");
    for (const role of ["viewer", "support"] as const)
      expect(JSON.stringify(await shownTo(person("eve", { roles: [role] })))).not.toMatch(/secret-path|ops@/);
    const listed = await approvals.list.read(as(grace), {}, { after: null, limit: 5 });
    expect(JSON.stringify(listed)).not.toMatch(/secret-path|ops@/);
    await approveRequest(as(grace), { id });
    expect((await shownTo(grace))?.data).toMatchObject({ endpoint: null });
    const second = await ask(changePartner(as(ada), { id: "busy", webhookUrl: "https://example.com/in/mine" }));
    expect((await approvals.show?.read(as(grace), second))?.data).toMatchObject({
      endpoint: { webhookUrl: { now: change.webhookUrl, asked: "https://example.com/in/mine" }, contact: null },
    });
    // What is so already is no part of a request, and a request for nothing else needs no second person.
    await changePartner(as(ada), { ...change, payload: "full" });
    const third = await ask(changePartner(as(ada), { ...change, payload: "thin", hasAllEvents: true }));
    const read = await approvals.show?.read(as(grace), third);
    expect(read?.data).toMatchObject({
      input: { id: "busy", payload: "thin", hasAllEvents: true },
      endpoint: {
        webhookUrl: null,
        contact: null,
        payload: { now: "full", asked: "thin" },
        hasAllEvents: { now: false, asked: true },
      },
    });
    expect(read?.fields.map(([name]) => name)).toContain("Payload now");
    await updatePartner(runtime.db, "busy", { payload: "thin" });
    await expect(approveRequest(as(grace), { id: third })).rejects.toMatchObject({ code: "approvals.changed" });
    expect(await findPartner(runtime.db, "busy")).toMatchObject({ hasAllEvents: false });
    await rejectRequest(as(grace), { id: third });
    await rejectRequest(as(grace), { id: second });
    expect(await countOfKey()).toBe(sealed);
    expect(await findPartner(runtime.db, "busy")).toMatchObject({
      webhookUrl: change.webhookUrl,
      contact: change.email,
    });
    const [action] = await listActions(runtime.services, { subjectId: "busy", limit: 1 });
    expect(JSON.stringify([action?.before, action?.after])).not.toMatch(/secret-path|ops@/);
  });

  test("is a sign-in wallet of a user, which the approver reads, and no list, log or other role has", async () => {
    const userId = await addUser();
    const wallet = `0x${"Ab".repeat(20)}`;
    const listAddresses = async () =>
      (await listSignInWallets(runtime.db, userId)).map(({ address }) => address.toLowerCase());
    for (const [change, left] of [
      [addWalletFor, [wallet.toLowerCase()]],
      [removeWalletFor, []],
    ] as const) {
      const before = await listAddresses();
      const id = await ask(change(as(ada), { reference: userId, wallet: wallet.toLowerCase() }));
      expect(await listAddresses()).toEqual(before);
      const shownTo = async (actor: OperatorActor) =>
        JSON.stringify(await approvals.show?.read(as(actor), id)).toLowerCase();
      expect(await shownTo(grace)).toContain(wallet.toLowerCase());
      expect(await shownTo(person("finn", { roles: ["finance"] }))).not.toContain(wallet.toLowerCase());
      await approveRequest(as(grace), { id });
      expect(await listAddresses()).toEqual([...left]);
      const stored = await runtime.db.execute(sql`
        select input::text as text from operator_approvals where id = ${id}
        union all select coalesce(before::text, '') || coalesce(after::text, '') from operator_actions`);
      expect(JSON.stringify(stored).toLowerCase()).not.toContain(wallet.toLowerCase());
    }
    expect(await actionsOn(userId)).toEqual(["users.add-wallet", "users.remove-wallet"]);
    // The wallet never signed in, so its end is no warning.
    expect((await listMessages(runtime.db, userId, 10)).map(({ subjectId }) => subjectId.split(":")[0])).toEqual([
      "added",
    ]);
  });

  test("is a wallet that ends with the person's key: no key of the service opens it, and nobody runs it after an erasure", async () => {
    const userId = await addUser();
    const wallet = `0x${"cd".repeat(20)}`;
    const id = await ask(addWalletFor(as(ada), { reference: userId, wallet }));
    const stored = await runtime.db.execute<{ sealed: string }>(
      sql`select input ->> 'sealed' as sealed from operator_approvals where id = ${id}`,
    );
    await expect(runtime.services.secrets.unseal(userId, stored[0]?.sealed ?? "")).rejects.toThrow(SecretUnreadable);
    const erasure = await ask(eraseUser(as(ada), { reference: userId }));
    await approveRequest(as(grace), { id: erasure });
    await runtime.db.delete(personKeys).where(eq(personKeys.userId, userId));
    expect(await approvals.show?.read(as(grace), id)).toMatchObject({ data: { wallet: null } });
    await expect(approveRequest(as(grace), { id })).rejects.toMatchObject({ code: "users.not_found" });
    await expect(addWalletFor(as(ada), { reference: userId, wallet })).rejects.toMatchObject({
      code: "users.not_found",
    });
    expect(await runtime.db.$count(personKeys, eq(personKeys.userId, userId))).toBe(0);
  });

  test("is a wallet that the release before sealed by the service's key", async () => {
    const userId = await addUser();
    const address = `0x${"ef".repeat(20)}`;
    const given = await ask(addWalletFor(as(ada), { reference: userId, wallet: address }));
    const sealed = await runtime.services.secrets.seal(userId, JSON.stringify({ wallet: address }));
    const id = `${given}-before`;
    await runtime.db.execute(sql`
      insert into operator_approvals select (jsonb_populate_record(a, ${JSON.stringify({ id, input: { reference: userId, sealed } })}::jsonb)).*
      from operator_approvals a where id = ${given}`);
    await approveRequest(as(grace), { id });
    const wallets = await listSignInWallets(runtime.db, userId);
    expect(wallets.map((known) => known.address.toLowerCase())).toEqual([address]);
  });

  test("is a new key of a partner, which reads people's events: only the answer to the approval has it", async () => {
    const rotation = { id: "keys", kind: "api", overlapSeconds: 0 } as const;
    const before = await runtime.db.$count(partnerKeys, eq(partnerKeys.partnerId, "keys"));
    const id = await ask(rotatePartnerKey(as(ada, "It leaked"), { ...rotation, scopes: ["events"] }));
    expect(await runtime.db.$count(partnerKeys, eq(partnerKeys.partnerId, "keys"))).toBe(before);
    expect((await getApproval(runtime.services, { id })).input).toEqual({
      ...rotation,
      scopes: ["events"],
      expiresAt: null,
    });
    const { newKey } = await approveRequest(as(grace), { id });
    expect(await authenticatePartner(runtime.services, newKey ?? "")).toMatchObject({
      partnerId: "keys",
      scopes: ["events"],
    });
    const kept = [await getApproval(runtime.services, { id }), await listActions(runtime.services, { limit: 3 })];
    expect(JSON.stringify(kept, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      newKey,
    );
    const unknown = rotatePartnerKey(as(ada), { ...rotation, id: "nobody" });
    await expect(unknown).rejects.toMatchObject({ code: "partners.not_found" });
  });

  test("with an idempotency key is asked for once and done once, and the key tells what became of it", async () => {
    const { secret } = await signIn("alan");
    const server = createServer(runtime);
    const post = async (act: string, idempotencyKey: string) => {
      const headers = { Authorization: `Bearer ${secret}`, "Idempotency-Key": idempotencyKey };
      const body = JSON.stringify({ reason: "Left us" });
      const address = `${runtime.settings.publicUrl}/operator/api/partners/once/${act}`;
      const response = await server.handle(new Request(address, { method: "POST", headers, body }));
      return { code: response.headers.get("x-error-code"), body: await response.json() };
    };
    const first = await post("disable", "first");
    expect(first.code).toBe("operators.approval_needed");
    expect(await post("disable", "first")).toEqual(first);
    const id = first.body.approvalId;
    await approveRequest(as(grace), { id });
    await setPartnerStatus(as(ada), { id: "once", status: "ACTIVE" });
    const before = await countApprovals(runtime.services);
    expect(await post("disable", "first")).toMatchObject({ code: null, body: { key: "once" } });
    expect([await statusOf("once"), await countApprovals(runtime.services)]).toEqual(["ACTIVE", before]);
    const second = await post("disable", "second");
    expect(second.code).toBe("operators.approval_needed");
    await rejectRequest(as(grace), { id: second.body.approvalId });
    expect(await post("disable", "second")).toMatchObject({ code: "approvals.ended" });
    expect((await actionsOn("once")).filter((verb) => verb === "partners.disable")).toHaveLength(1);
    expect(await countApprovals(runtime.services)).toBe(before);
  });

  test("is approved once with an idempotency key, and a repetition with it answers the approved request", async () => {
    const { secret } = await signIn("barbara");
    const server = createServer(runtime);
    const approve = async (id: string, idempotencyKey: string) => {
      const headers = { Authorization: `Bearer ${secret}`, "Idempotency-Key": idempotencyKey };
      const address = `${runtime.settings.publicUrl}/operator/api/approvals/${id}/approve`;
      const response = await server.handle(new Request(address, { method: "POST", headers }));
      return { code: response.headers.get("x-error-code"), body: await response.json() };
    };
    const id = await ask(disable(ada, "twice"));
    const approved = { code: null, body: { key: id, data: { status: "APPROVED", decidedByName: "barbara" } } };
    expect(await approve(id, "approve-once")).toMatchObject(approved);
    expect(await approve(id, "approve-once")).toMatchObject(approved);
    expect((await approve(id, "approve-again")).code).toBe("approvals.ended");
    expect((await actionsOn("twice")).filter((verb) => verb === "partners.disable")).toHaveLength(1);
    const other = await ask(disable(ada, "back"));
    expect((await approve(other, "approve-once")).code).toBe("idempotency.mismatch");
    await rejectRequest(as(ada), { id: other });
  });

  test("on a terminal without the database ends with the same code and answer", async () => {
    const configHome = mkdtempSync(join(tmpdir(), "elsewhere-"));
    const configFolder = join(configHome, "cardkeep");
    const { secret } = await signIn("alan");
    const server = createServer(runtime);
    const [port = 0] = await findFreePorts(1);
    const publicUrl = `http://127.0.0.1:${server.listen(port)}`;
    writeSessionSecret({ configFolder, publicUrl }, secret);
    const words = (id: string) => ["partners", "disable", id, "--reason", "Left us", "--json"];
    const child = Bun.spawn([process.execPath, mainOf("cli"), ...words("far"), "--server", publicUrl], {
      env: { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: configHome },
      cwd: configHome,
      stdout: "pipe",
      stderr: "ignore",
    });
    const elsewhere = JSON.parse(await new Response(child.stdout).text());
    const settings = { ...runtime.settings, configFolder };
    writeSessionSecret(settings, secret);
    const beside = await runCliOn({ ...runtime, settings }, ...words("near"));
    expect([await child.exited, beside.code]).toEqual([3, 3]);
    expect(elsewhere).toEqual({
      ...JSON.parse(beside.out),
      approvalId: expect.any(String),
      expiresAt: expect.any(String),
    });
    await server.stop();
    rmSync(configHome, { recursive: true });
  });

  test("on a terminal says what happens next, with an exit code of its own", async () => {
    const configFolder = mkdtempSync(join(tmpdir(), "terminal-"));
    const settings = { ...runtime.settings, configFolder };
    const run = (...words: string[]) => runCliOn({ ...runtime, settings }, ...words);
    writeSessionSecret(settings, (await signIn("alan")).secret);
    const { code, out, err } = await run("partners", "disable", "race", "--reason", "Left us");
    expect([code, err]).toEqual([3, ""]);
    const [, id = ""] = /approvals approve ([\w-]+)/.exec(out) ?? [];
    expect(out).toContain("waits for a second person");
    expect(await run("approvals", "approve", id)).toMatchObject({ code: 1, err: expect.stringContaining("Another") });
    // Without the sign-in it is the machine's user, who may be the same human.
    writeSessionSecret(settings, null);
    const machine = await run("approvals", "approve", id);
    expect([machine.code, machine.err]).toEqual([1, expect.stringContaining("sign in by your name")]);
    await approveRequest(as(grace), { id });
    const list = await run("approvals", "list", "--status", "APPROVED", "--json");
    expect(JSON.parse(list.out)[0]).toMatchObject({ id, reason: "Left us", decidedByName: "grace" });
    rmSync(configFolder, { recursive: true });
  });
});

/** A browser of a signed-in admin. */
async function browsePages(name: string) {
  const { origin, host } = new URL(runtime.settings.publicUrl);
  const { secret } = await signIn(name);
  const headers = { Cookie: `cardkeep_operator=${secret}`, Origin: origin, Host: host };
  const server = createServer(runtime);
  return {
    read: async (path: string) => (await server.handle(new Request(origin + path, { headers }))).text(),
    send: async (path: string, form: Record<string, string>) => {
      const body = new URLSearchParams(form);
      const init = { method: "POST", headers, body, redirect: "manual" } as const;
      const { status, headers: answered } = await server.handle(new Request(origin + path, init));
      return { status, to: answered.get("location") };
    },
    show: async (path: string) => {
      const init = { method: "POST", headers, body: new URLSearchParams({ reason: "I saw it" }) };
      const answer = await server.handle(new Request(origin + path, init));
      return { status: answer.status, cache: answer.headers.get("cache-control"), text: await answer.text() };
    },
  };
}

describe("on the pages", () => {
  test("a change that waits leads to the requests, which show its form to other operators alone", async () => {
    const [asker, approver] = [await browsePages("alan"), await browsePages("barbara")];
    const reason = "Fraud at night";
    const asked = await asker.send("/operator/stops/card-orders", { state: "on", reason });
    expect(asked).toEqual({ status: 303, to: "/operator/approvals?done=asked" });
    const [request] = await listApprovals(runtime.services, { status: "WAITING", limit: 1 });
    expect(request).toMatchObject({ verb: "stops.set", askedByName: "alan", reason });
    const approve = `/operator/approvals/${request?.id}/approve`;
    const [own, other] = [await asker.read("/operator/approvals"), await approver.read("/operator/approvals")];
    expect([own.includes(approve), other.includes(approve)]).toEqual([false, true]);
    expect(own).toContain("another person approves it");
    expect(other).toMatch(/Approvals\s*<span class="tag">\d+ waiting/);
    expect((await asker.send(approve, {})).status).toBe(403);
    expect(await approver.send(approve, {})).toEqual({
      status: 303,
      to: "/operator/approvals?done=approvals.approve&count=1",
    });
    const [stopped] = (await listStops(runtime.services)).filter((each) => each.stop !== null);
    expect(stopped).toMatchObject({ name: "card-orders", stop: { reason, operator: "alan" } });
  });
});

test("a new key of a partner is on the page that answers the approval, once", async () => {
  const [asker, approver] = [await browsePages("alan"), await browsePages("barbara")];
  const asked = await asker.send("/operator/partners/keys/rotate", { api: "yes", reason: "It leaked" });
  expect(asked).toEqual({ status: 303, to: "/operator/approvals?done=asked" });
  const [request] = await listApprovals(runtime.services, { status: "WAITING", limit: 1 });
  const answer = await approver.show(`/operator/approvals/${request?.id}/approve`);
  expect(answer).toMatchObject({ status: 200, cache: "no-store" });
  const [newKey = ""] = /ckp_[\w-]+/.exec(answer.text) ?? [];
  expect(await authenticatePartner(runtime.services, newKey)).toMatchObject({ partnerId: "keys" });
  expect(await approver.read(`/operator/approvals/${request?.id}`)).not.toContain(newKey);
});

describe("the setting of two persons", () => {
  const read = (env: Record<string, string>) => readSettings(env).policy.operators.twoPersons;

  test("is empty on a laptop, everything in production with a provider, and what it says", () => {
    expect(read({})).toEqual([]);
    expect(read(production)).toEqual([]);
    const withProvider = { ...production, OIDC_ISSUER: "https://id.example.org", OPERATOR_ROLES: "ops=admin" };
    expect(read(withProvider)).toEqual(twoPersonVerbs);
    expect(read({ ...withProvider, OPERATOR_TWO_PERSONS: "none" })).toEqual([]);
    // Without a provider there is nobody who could ask or approve.
    expect(() => read({ ...production, OPERATOR_TWO_PERSONS: "stops.set" })).toThrow("OPERATOR_TWO_PERSONS");
    expect(read({ OPERATOR_TWO_PERSONS: "users.erase, stops.set" })).toEqual(["users.erase", "stops.set"]);
    for (const wrong of ["users.list", "users.erase,", "all", "users.erase users.risk"])
      expect(() => read({ OPERATOR_TWO_PERSONS: wrong })).toThrow("OPERATOR_TWO_PERSONS");
  });
});
