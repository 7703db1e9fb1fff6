/** The published package's one entry; inside the repository each file is imported by its name. */
export {
  type CardDecision,
  type CardUse,
  type Cardkeep,
  type CardkeepAddresses,
  connectCardkeep,
  type Incoming,
  type UseCardOptions,
} from "./cardkeep.ts";
export type { Duration } from "./duration.ts";
export type { Fault, FaultName, FaultOptions, Faults } from "./faults.ts";
export type { Card, PersonOptions, TestPerson } from "./person.ts";
export type { Delivery } from "./deliveries.ts";
export { SandboxCallError } from "./sandboxCall.ts";
export { type RunningCardkeep, startCardkeep, type StartOptions } from "./startCardkeep.ts";
