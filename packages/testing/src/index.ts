/** The published package's one entry; inside the repository each file is imported by its name. */
export {
  type CardApproval,
  type CardDecision,
  type CardDecline,
  type CardUse,
  type Cardkeep,
  type CardkeepAddresses,
  connectCardkeep,
  type Incoming,
  type UseCardOptions,
} from "./cardkeep.ts";
export type { Duration } from "./duration.ts";
export type { Fault, FaultName, FaultOptions, Faults } from "./faults.ts";
export type { PersonOptions, TestPerson } from "./person.ts";
export type { Card, DeclineCode } from "@cardkeep/client";
export type { Delivery } from "./deliveries.ts";
export { SandboxCallError } from "./sandboxCall.ts";
export { type RunningCardkeep, startCardkeep, type StartOptions } from "./startCardkeep.ts";
