/** The wallet of `journey.sh`: makes a key, signs with `KEY`, reads a field of JSON. Runs in Node and in Bun. */
import { readFileSync } from "node:fs";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";

const [command, ...given] = process.argv.slice(2);
const account = () => privateKeyToAccount(process.env.KEY);

const commands = {
  key: () => generatePrivateKey(),
  email: () => `ada-${account().address.slice(2, 14).toLowerCase()}@example.org`,
  field: (name) => JSON.parse(readFileSync(0, "utf8"))[name],
  "sign-in": async (nonce) => {
    const message = createSiweMessage({
      address: account().address,
      chainId: 100,
      domain: "localhost",
      uri: "http://localhost",
      version: "1",
      nonce,
    });
    return JSON.stringify({ message, signature: await account().signMessage({ message }) });
  },
  "sign-withdrawal": async (answer, amount, to, tokenAddress) => {
    const { data } = JSON.parse(answer);
    const signature = await account().signTypedData(data);
    return JSON.stringify({ amount, to, tokenAddress, signature, message: data.message });
  },
};

process.stdout.write(`${await commands[command](...given)}\n`);
