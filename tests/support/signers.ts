/** The sandbox's signers, reached through a proxy whose connections a test can cut. */
import { development } from "@cardkeep/runtime/development";
import { createServer, connect, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { privateKeyToAddress } from "viem/accounts";

const { RELAYER_PRIVATE_KEYS, OPERATOR_PRIVATE_KEY, SPENDER_PRIVATE_KEY } = development;

/** The addresses of the development keys, which the sandbox's signers hold. */
export const heldAddresses = {
  relayers: RELAYER_PRIVATE_KEYS.split(",").map((key) => privateKeyToAddress(`0x${key.slice(2)}`)),
  operator: privateKeyToAddress(OPERATOR_PRIVATE_KEY),
  spender: privateKeyToAddress(SPENDER_PRIVATE_KEY),
};

/** The package of AWS wants credentials; the sandbox takes any. */
export const awsCredentials = { AWS_ACCESS_KEY_ID: "sandbox", AWS_SECRET_ACCESS_KEY: "sandbox" };

export const nameWeb3signer = (url: string, address: string): string =>
  `web3signer+${url.replace("//", `//${address}@`)}/web3signer`;
export const nameAwsKms = (url: string, address: string): string =>
  `aws-kms://${address}@eu-central-1/alias/${address}?endpoint=${url}/aws-kms`;

const signerNames = {
  web3signer: [nameWeb3signer, nameWeb3signer],
  kms: [nameAwsKms, nameAwsKms],
  both: [nameWeb3signer, nameAwsKms],
} as const;

/** Every key of the chain at the signers of the sandbox at `url`, and none in the worker. */
export function buildSignerEnv(url: string, kind: keyof typeof signerNames = "both"): Record<string, string> {
  const [nameOne, nameOther] = signerNames[kind];
  const [first = "", second = ""] = heldAddresses.relayers;
  return {
    RELAYER_SIGNERS: [nameOne(url, first), nameOther(url, second)].join(","),
    OPERATOR_SIGNER: nameOther(url, heldAddresses.operator),
    SPENDER_SIGNER: nameOne(url, heldAddresses.spender),
  };
}

/**
 * The settings that move the keys of every test's service to signers, where `CARDKEEP_TEST_SIGNERS` is `web3signer`, `kms` or
 * `both`; else none. A test that gives keys or signers of its own keeps them.
 */
export function readTestSigners(url: string, own: Readonly<Record<string, string>>): Record<string, string> {
  const kind = process.env["CARDKEEP_TEST_SIGNERS"];
  if (kind !== "web3signer" && kind !== "kms" && kind !== "both") return {};
  if (Object.keys(own).some((name) => /^(RELAYER|OPERATOR|SPENDER)_(PRIVATE_KEYS?|SIGNERS?)$/.test(name))) return {};
  // For a worker in this process.
  Object.assign(process.env, awsCredentials);
  return { ...buildSignerEnv(url, kind), ...awsCredentials };
}

export interface CutProxy {
  readonly url: string;
  /** The port that connections go to; while it is null each is closed at once. */
  target: number | null;
  /** Ends every open connection, answered or not. */
  cut(): void;
  stop(): void;
}

/** A TCP proxy on a free port. */
export async function startCutProxy(): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // A cut connection is what the test wants.
    socket.on("error", () => socket.destroy());
    return socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (proxy.target === null) return void client.destroy();
    const upstream = keep(connect(proxy.target, "127.0.0.1"));
    client.pipe(upstream).pipe(client);
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: CutProxy = {
    url: `http://127.0.0.1:${port}`,
    target: null,
    cut,
    stop: () => {
      cut();
      server.close();
    },
  };
  return proxy;
}
