import type { Replication } from "@cardkeep/db/queries/core/replication";

export interface ReplicationFault {
  /** Blocked: no commit is answered. Asynchronous: a failover loses what was answered last. */
  kind: "blocked" | "asynchronous";
  text: string;
}

/** What is wrong with the replication; null where nothing is, and where there is no standby and none is expected. */
export function describeReplication(replication: Replication): ReplicationFault | null {
  const { standbys, synchronousStandbys, isSynchronous } = replication;
  if (isSynchronous && synchronousStandbys === 0) {
    const text =
      "Commits wait for a synchronous standby and none is connected: start it, or see synchronous_standby_names";
    return { kind: "blocked", text };
  }
  if (isSynchronous || standbys === 0) return null;
  const who = standbys === 1 ? "The database's standby is" : `The database's ${standbys} standbys are`;
  const text = `${who} asynchronous: a failover loses the last answered requests. Set synchronous_mode in Patroni, or synchronous_standby_names`;
  return { kind: "asynchronous", text };
}
