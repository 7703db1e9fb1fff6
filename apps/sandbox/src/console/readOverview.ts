/** What runs, as the first desk and the JSON at `/` have it. */
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { type Finding, finding } from "@cardkeep/domain/operations/health/finding";
import { listParts, summariseFindings } from "@cardkeep/domain/operations/health/summariseFindings";
import type { PartState } from "@cardkeep/html/overview";
import { activeFaultsOf } from "../faults/activeFaults.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

export interface Overview {
  readonly doctor: Omit<PartState, "name">;
  readonly parts: readonly PartState[];
}

/** An open desk reads it every second. */
const keptMs = 5_000;
const serverMsMax = 2_000;

const kept = new WeakMap<SandboxRuntime, { readonly until: number; readonly overview: Promise<Overview> }>();

/** Reads the overview, at most once in 5 s. */
export function readOverview(runtime: SandboxRuntime): Promise<Overview> {
  const known = kept.get(runtime);
  if (known && performance.now() < known.until) return known.overview;
  const overview = examine(runtime);
  kept.set(runtime, { until: performance.now() + keptMs, overview });
  return overview;
}

async function examine(runtime: SandboxRuntime): Promise<Overview> {
  // A request to a partner would use up a fault that ends after some hits.
  const [server, found] = await Promise.all([
    checkServer(runtime),
    diagnose(runtime.services, { asksProviders: false }),
  ]);
  const findings = [server, ...found, ...checkPartners(runtime)];
  const { severity, text } = summariseFindings(findings);
  return { doctor: { severity, text }, parts: listParts(findings) };
}

async function checkServer({ settings: { port } }: SandboxRuntime): Promise<Finding> {
  const signal = AbortSignal.timeout(serverMsMax);
  const isAlive = await fetch(`http://127.0.0.1:${port}/livez`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
  return isAlive
    ? finding("server", "ok", "Answers")
    : finding("server", "fault", `Does not answer at port ${port}: see its log, and run \`bun start\``);
}

const partnerChecks = {
  kyc: "identity provider",
  emoney: "e-money institution",
  issuer: "card issuer",
  identity: "OpenID provider",
} as const;

/** The sandbox plays the partners, so only its faults stop them. */
function checkPartners(runtime: SandboxRuntime): Finding[] {
  const on = activeFaultsOf(runtime).list();
  return Object.entries(partnerChecks).map(([partner, check]) => {
    const names = on.map(({ name }) => name).filter((name) => name.startsWith(`${partner}.`));
    return names.length === 0
      ? finding(check, "ok", "Played by the sandbox")
      : finding(check, "warning", `${names.join(", ")} is on: see the desk Faults`);
  });
}
