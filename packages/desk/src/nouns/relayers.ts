import { fail } from "@cardkeep/contract/core/errors";
import { type Address, address, nativeDecimals } from "@cardkeep/contract/core/primitives";
import { drainRelayer, undrainRelayer } from "@cardkeep/domain/chain/relay/drainRelayer";
import { requestSweep } from "@cardkeep/domain/chain/relay/sweepRelayer";
import { formatLaneState, formatUnits, formatUnitsShort, shorten } from "@cardkeep/domain/core/wording";
import { listRelayers, type RelayerHealth } from "@cardkeep/domain/operations/health/listRelayers";
import { Answered, defineNoun } from "../defineNoun.ts";
import { amount, code, count, text } from "../value.ts";

/** @throws relayers.not_found for anything but an address */
const readAddress = (key: string): Address => address.safeParse(key).data ?? fail("relayers.not_found");

const answerState = ({ address: of, state }: { address: Address; state: RelayerHealth["state"] }): Answered =>
  new Answered(of, { address: of, state }, [
    ["Address", code(of)],
    ["State", text(formatLaneState(state))],
  ]);

export const relayers = defineNoun({
  name: "relayers",
  title: "Relayers",
  group: "Operations",
  brief: "Keys that sign and pay for chain transactions",
  argument: { name: "address", brief: "Address of the relayer", schema: address },
  keyOf: (row) => row.address,
  list: {
    verb: "relayers.list",
    brief: "Lists state, nonces, funds and open transactions of each relayer",
    example: "relayers list",
    lead:
      "Each key is a lane: a Safe always uses the same one. A gap is reserved nonces without a transaction. " +
      "Later transactions of this key wait until the gap is filled.",
    none: "No relayer is configured.",
    isWhole: true,
    filters: {},
    columns: [
      { name: "Address", of: (row) => code(row.address) },
      {
        name: "State",
        of: ({ state, isConfigured }) => text(`${formatLaneState(state)}${isConfigured ? "" : ", no key"}`),
      },
      { name: "Next nonce", of: (row) => count(row.nextNonce), isRight: true },
      { name: "On chain", of: (row) => count(row.chainNonce), isRight: true, terminal: "optional" },
      { name: "Open", of: (row) => count(row.openCount), isRight: true },
      { name: "Gap", of: (row) => count(row.nonceGap), isRight: true, terminal: "optional" },
      {
        name: "Native tokens",
        of: ({ balance }) => amount(formatUnitsShort(balance, nativeDecimals), formatUnits(balance, nativeDecimals)),
        isRight: true,
      },
      { name: "Pays for", of: (row) => count(row.operationsFunded), isRight: true },
    ],
    read: listRelayers,
  },
  acts: {
    drain: {
      verb: "relayers.drain",
      brief: "Ends new transactions of a relayer; it is retired once its open ones are mined",
      details: "Keep its key in the settings until `relayers list` shows it as retired.",
      example: "relayers drain 0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      offer: (row) =>
        row.state === "ACTIVE"
          ? {
              label: `Drain ${shorten(row.address)}`,
              consequence:
                "It takes no new transactions. Those with a nonce are sent until they are mined; then it is retired, and its Safes use the other relayers. This can be undone.",
              isDanger: true,
            }
          : null,
      run: async (ctx, key) => answerState(await drainRelayer(ctx, { address: readAddress(key) })),
    },
    undrain: {
      verb: "relayers.undrain",
      brief: "Lets a relayer take new transactions again",
      example: "relayers undrain 0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      offer: (row) =>
        row.state !== "ACTIVE" && row.isConfigured
          ? {
              label: `Take ${shorten(row.address)} into service again`,
              consequence: "It takes new transactions again.",
            }
          : null,
      run: async (ctx, key) => answerState(await undrainRelayer(ctx, { address: readAddress(key) })),
    },
    sweep: {
      verb: "relayers.sweep",
      brief: "Sends the funds of a retired relayer to TREASURY_ADDRESS",
      details: "The worker sends them, so its settings need the key. About three times the fee stays behind.",
      example: "relayers sweep 0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      offer: (row) =>
        row.state === "RETIRED" && row.isConfigured
          ? {
              label: `Send the funds of ${shorten(row.address)} to the treasury`,
              consequence: "The worker sends them. About three times the fee stays behind.",
              isDanger: true,
            }
          : null,
      run: async (ctx, key) => {
        const { address: of, treasury } = await requestSweep(ctx, { address: readAddress(key) });
        return new Answered(of, { address: of, treasury }, [
          ["Address", code(of)],
          ["Funds go to", code(treasury)],
        ]);
      },
    },
  },
});
