/**
 * The steps of an account's set-up as account-kit builds them. account-kit takes 25 ms for them. The steps of two accounts
 * of one configuration differ in addresses only, so they are built once, for an account that does not exist.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import { LRUCache } from "lru-cache";
import { decodeFunctionData, getAddress, keccak256, slice, stringToBytes } from "viem";
import { multiSendAbi, safeAbi } from "./abis.ts";
import type { AccountConfig } from "./accountConfig.ts";
import { loadAccountKit } from "./accountKit.ts";
import type { Call } from "./call.ts";
import { parseHex } from "./hex.ts";
import { unpackSteps } from "./packSteps.ts";
import { type AccountAddresses, predictModules } from "./predictAccount.ts";

interface SetUp {
  addresses: AccountAddresses;
  creator: Address;
  owners: readonly Address[];
  config: AccountConfig;
}

/** A service has one configuration, and one template for each number of owners. */
const templatesMax = 20;
const templates = new LRUCache<string, Promise<Template>>({ max: templatesMax });

/** A step whose variable addresses are cut out: texts, and between them the places of the addresses in `listVariables`. */
interface StepTemplate {
  to: number | Address;
  value: bigint;
  texts: readonly string[];
  places: readonly number[];
}

type Template = readonly StepTemplate[];

/** The addresses in which two set-ups of one configuration differ. */
const listVariables = ({ addresses, creator, owners }: Omit<SetUp, "config">): Address[] => [
  addresses.safe,
  addresses.delay,
  addresses.roles,
  addresses.bouncer,
  creator,
  ...owners,
];

/** The steps of a set-up, equal to account-kit's. The owners are named once each. */
export async function listSetUpSteps(setUp: SetUp): Promise<Call[]> {
  const { owners, config } = setUp;
  const key = JSON.stringify([owners.length, config], (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const template = templates.get(key) ?? buildTemplate({ config, ownersCount: owners.length });
  templates.set(key, template);
  return fillTemplate(await template, listVariables(setUp));
}

/** An address that no account and no key has. */
const nameStandIn = (name: string): Address => getAddress(slice(keccak256(stringToBytes(`stand-in ${name}`)), 12));

async function buildTemplate(input: { config: AccountConfig; ownersCount: number }): Promise<Template> {
  const owners = Array.from({ length: input.ownersCount }, (_, index) => nameStandIn(`owner ${index}`));
  const safe = nameStandIn("safe");
  const [addresses, creator] = [{ safe, ...predictModules(safe) }, nameStandIn("creator")];
  const variables = listVariables({ addresses, creator, owners });
  const digits = variables.map((address) => address.slice(2).toLowerCase());
  const pattern = new RegExp(`(${digits.join("|")})`);
  const steps = await askSdk({ config: input.config, addresses, creator, owners });
  return steps.map(({ to, value, data }) => {
    const [texts, places]: [string[], number[]] = [[], []];
    for (const [index, part] of data.split(pattern).entries())
      if (index % 2 === 0) texts.push(part);
      else places.push(digits.indexOf(part));
    const place = variables.indexOf(to);
    return { to: place === -1 ? to : place, value, texts, places };
  });
}

function fillTemplate(template: Template, variables: readonly Address[]): Call[] {
  const at = (place: number): Address => {
    const address = variables[place];
    if (address === undefined) throw new Error("The template belongs to another number of owners");
    return address;
  };
  return template.map(({ to, value, texts, places }) => ({
    to: typeof to === "number" ? at(to) : to,
    value,
    data: parseHex(
      texts.reduce(
        (data, text, index) =>
          data +
          at(places[index - 1] ?? 0)
            .slice(2)
            .toLowerCase() +
          text,
      ),
    ),
  }));
}

async function askSdk({ addresses, creator, owners, config }: SetUp): Promise<Call[]> {
  const { data } = await loadAccountKit().populateAccountSetup(
    // Chain and nonce are part of the signed message, not of its steps.
    { account: addresses.safe, owner: creator, chainId: 1, nonce: 0, beneficiaries: [...owners] },
    {
      spender: config.spender,
      receiver: config.settlement,
      token: config.token,
      allowance: { refill: config.dailyLimit, period: config.periodSeconds, timestamp: config.allowanceStartsAt },
      delay: { cooldown: config.cooldownSeconds, expiration: config.expirationSeconds },
    },
    // Only the steps are needed: the signed message consists of the missing ones.
    async () => "0x",
  );
  const { args } = decodeFunctionData({ abi: safeAbi, data: parseHex(data) });
  const batch = decodeFunctionData({ abi: multiSendAbi, data: args[2] });
  return unpackSteps(batch.args[0]);
}
