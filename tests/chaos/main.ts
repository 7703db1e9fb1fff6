/**
 * `bun run test:chaos`: 200 operations over 20 Safes in a storm of three minutes, 120 withdrawals while remote signers die 40
 * times, a death at every step of the treasury's moves and of a close, and 1,000 random card events with withdrawals in between. Then
 * everything is counted on chain. `test:chaos treasury` plays the deaths of the treasury alone.
 */
import { cardLivesEnv, playCards } from "../lives/cardWorld.ts";
import { endEverything } from "../support/ends.ts";
import { findShortfall } from "../support/funds.ts";
import { spawnApp } from "../support/process.ts";
import { startService } from "../support/service.ts";
import { loadWhileSignerDies } from "../support/signerKills.ts";
import { awsCredentials, buildSignerEnv, startCutProxy } from "../support/signers.ts";
import { testSeed } from "../support/seed.ts";
import { runStorm } from "./storm.ts";
import { killTreasury } from "./treasuryKills.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const programme = await startService({ worker: false, env: { BOOKS_CLOSE_HOUR: "23" } });
const { kills, faults: treasuryFaults } = await killTreasury(programme);
await programme.stop();
say(`deaths by step: ${JSON.stringify(kills)}`);
say(treasuryFaults.length === 0 ? "nothing doubled, nothing lost; books = witnesses" : treasuryFaults.join("\n"));
if (process.argv[2] === "treasury") {
  await endEverything();
  process.exit(treasuryFaults.length === 0 ? 0 : 1);
}

say(`Random choices begin with TEST_SEED=${testSeed}`);
const report = await runStorm({ safes: 20, operations: 200, seconds: 180, seed: testSeed, say });
say(JSON.stringify(report, null, 2));
const { accepted, rows, enqueued, arrived, lanes } = report;
const executed = rows["EXECUTED"] ?? 0;
const isGood =
  executed + (rows["FAILED"] ?? 0) === accepted &&
  enqueued === accepted &&
  arrived === executed &&
  lanes.every(({ missing, open }) => missing === 0 && open === 0);
say(isGood ? "accepted = enqueued = executed or failed; no nonce missing" : "NOT what was promised");

const proxy = await startCutProxy();
// Forty operations of a Safe run one after the other, while the clock is moved by three minutes a second.
const patience = { EXPIRATION_SECONDS: "86400" };
const remote = await startService({ worker: false, env: { ...buildSignerEnv(proxy.url), ...patience } });
proxy.target = Number(new URL(remote.sandboxUrl).port);
const worker = await spawnApp("worker", { ...remote.env, ...awsCredentials });
await worker.ready("taking jobs");
const killed = await loadWhileSignerDies(remote, proxy, { kills: 40, people: 3, withdrawalsMax: 40 });
worker.kill("SIGKILL");
await worker.exited;
await remote.stop();
proxy.stop();
const ranOnce = killed.executions.filter((count) => count === 1n).length;
const signerFaults = [...killed.surprises, ...killed.laneFaults];
if (ranOnce !== killed.acknowledged) signerFaults.push(`of ${killed.acknowledged} withdrawals ${ranOnce} ran once`);
say(`${killed.kills} deaths of the signers under ${killed.acknowledged} withdrawals`);
say(signerFaults.length === 0 ? "each withdrawal ran once; no nonce missing or twice" : signerFaults.join("\n"));

const service = await startService({ env: cardLivesEnv });
const { events, differences } = await playCards(service, { people: 5, cardsEach: 4, eventsEach: 50, seed: testSeed });
const shortfall = await findShortfall(service.runtime);
await service.stop();
await endEverything();
say(`${events} card events and withdrawals with seed ${testSeed}`);
say(differences.length === 0 ? "ledger = balances = issuer = chain" : differences.join("\n"));
const shortfalls = [report.shortfall, shortfall].filter((text) => text !== null);
say(shortfalls.length === 0 ? "settlement account on chain >= ledger" : shortfalls.join("\n"));
const faults = [treasuryFaults, signerFaults, differences, shortfalls].flat();
process.exit(isGood && faults.length === 0 ? 0 : 1);
