import type { RefusedLane } from "../../chain/relay/listRefusedLanes.ts";
import type { RelayerHealth } from "./listRelayers.ts";

/** Relayed transactions that every relayer should be able to pay for. */
const operationsFundedMin = 50n;

/** What is wrong with the relayers, a text for each fault. A lane that is drained needs no funds. */
export function describeRelayers(relayers: readonly RelayerHealth[]): string[] {
  const isServing = relayers.some(({ state, isConfigured }) => isConfigured && state === "ACTIVE");
  return [
    ...(isServing ? [] : ["No relayer takes transactions: run `bun run cardkeep relayers undrain` for one"]),
    ...relayers.flatMap(describe),
  ];
}

/** What an operator reads of a lane that stands still. */
export const describeRefusedLane = ({ address, nonce, answer }: RefusedLane): string =>
  `The node refuses transaction ${nonce} of ${address}, and all behind it wait: ${answer.slice(0, answerLengthMax)}`;

/** Nodes may say any length. */
const answerLengthMax = 200;

const describe = ({ address, state, isConfigured, openCount, operationsFunded, nonceGap }: RelayerHealth): string[] => [
  ...(isConfigured && state === "ACTIVE" && operationsFunded < operationsFundedMin
    ? [`${address} is out of funds soon: send it native tokens`]
    : []),
  ...(nonceGap > 0n ? [`${address} lacks ${nonceGap} transactions that it had signed`] : []),
  ...(!isConfigured && openCount > 0
    ? [`${address} has ${openCount} open transactions and is in no setting: put its key back, and drain it first`]
    : []),
];
