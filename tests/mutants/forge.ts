/**
 * Mutants of an account's contracts, of its set-up and of its policy, which `bun run test:forge mutants` plays: see `tests/forge`.
 *
 * A file that begins with `@` is a package's source. One that begins with `0x` is the code at that address, and its texts are hex.
 */
import { deployments } from "@cardkeep/chain/deployments";
import { integrityMutants } from "./integrity.ts";
import { type Mutant, mutantsOf } from "./mutant.ts";

const killedBy = ["tests/forge/test/Account.t.sol"];
const zodiac = "@gnosis.pm/zodiac/contracts";
const safe = "@gnosis.pm/safe-contracts/contracts";
const of = (file: string, changes: Parameters<typeof mutantsOf>[2]): Mutant[] => mutantsOf(file, killedBy, changes);

/** A correction of a package's source that is there already gets one more text. */
const begin = "    replacements: [\n";
const signatureChecker = (from: string, to: string): readonly [string, string] => [
  begin,
  `${begin}      [${JSON.stringify(from)}, ${JSON.stringify(to)}],\n`,
];

const policy = "packages/chain/src/entryPolicy.ts";

/**
 * Safe, Roles and Delay have no function `transfer`, so such an entry reverts, whatever the policy says. `unit/entry-policy` notices
 * these alone.
 */
const withoutEffect = ["a call of the Safe is a transfer", "a call of Roles is a transfer"];

const policyMutants = integrityMutants
  .filter(({ file, breaks }) => file === policy && !withoutEffect.includes(breaks))
  .map((mutant) => ({ ...mutant, killedBy }));

export const forgeMutants: readonly Mutant[] = [
  ...of("apps/local/contracts/Delay.sol", [
    ["an entry runs at once", ">= txCooldown, ", ">= 0, "],
    ["an entry runs a second too early", ">= txCooldown, ", "+ 1 >= txCooldown, "],
    ["an entry runs a second too late", ">= txCooldown, ", "> txCooldown, "],
    ["an expired entry runs", `require(!_isExpired(nonce), "Transaction expired");`, ""],
    ["an entry expires a second too early", "+ txExpiration < block.timestamp", "+ txExpiration <= block.timestamp"],
    ["an entry expires without its cooldown", "txCreatedAt[nonce] + txCooldown + ", "txCreatedAt[nonce] + "],
    [
      "another call than the queued one runs",
      `require(txHash[nonce] == getTransactionHash(to, value, data, operation), "Transaction hashes do not match");`,
      "",
    ],
    [
      "the queue forgets an amount",
      "abi.encodePacked(to, value, data, operation)",
      "abi.encodePacked(to, data, operation)",
    ],
    [
      "the queue forgets the operation",
      "abi.encodePacked(to, value, data, operation)",
      "abi.encodePacked(to, value, data)",
    ],
    [
      "an entry that failed has run",
      `require(exec(to, value, data, operation), "Module transaction failed");`,
      "exec(to, value, data, operation);",
    ],
    [
      "an entry runs again inside itself",
      `txNonce = nonce + 1;\n    require(exec(to, value, data, operation), "Module transaction failed");`,
      `require(exec(to, value, data, operation), "Module transaction failed");\n    txNonce = nonce + 1;`,
    ],
    ["a live entry is skipped", "nonce < queueNonce && _isExpired(nonce)", "nonce < queueNonce"],
    ["one expired entry is skipped at a time", "while (nonce < queueNonce", "if (nonce < queueNonce"],
    ["an entry takes two places", "queueNonce = nonce + 1;", "queueNonce = nonce + 2;"],
    ["an entry has no age", "txCreatedAt[nonce] = block.timestamp;", ""],
    [
      "anyone sets the cooldown",
      "setTxCooldown(uint256 cooldown) external onlyOwner",
      "setTxCooldown(uint256 cooldown) external",
    ],
    [
      "anyone sets the expiration",
      "setTxExpiration(uint256 expiration) external onlyOwner",
      "setTxExpiration(uint256 expiration) external",
    ],
    ["anyone drops entries", "setTxNonce(uint256 nonce) external onlyOwner", "setTxNonce(uint256 nonce) external"],
  ]),
  ...of(`${zodiac}/core/Modifier.sol`, [
    ["anyone signs for an owner", "if (modules[signer] == address(0)) {", "if (signer == address(0)) {"],
    ["a message counts twice", "if (consumed[signer][hash]) {", "if (false) {"],
    ["a message is not remembered", "consumed[signer][hash] = true;", ""],
    [
      "anyone adds an owner",
      "function enableModule(address module) public override onlyOwner {",
      "function enableModule(address module) public override {",
    ],
    [
      "anyone removes an owner",
      ") public override onlyOwner {\n    if (module == address(0) || module == SENTINEL_MODULES)\n      revert InvalidModule(module);\n    if (modules[prevModule]",
      ") public override {\n    if (module == address(0) || module == SENTINEL_MODULES)\n      revert InvalidModule(module);\n    if (modules[prevModule]",
    ],
    ["a removed owner stays one", "modules[module] = address(0);", ""],
    ["a new owner replaces all", "modules[module] = modules[SENTINEL_MODULES];", "modules[module] = SENTINEL_MODULES;"],
  ]),
  ...of(`${zodiac}/core/Module.sol`, [
    [
      "anyone moves another Safe by the queue",
      "function setTarget(address _target) public onlyOwner {",
      "function setTarget(address _target) public {",
    ],
    [
      "anyone names another Safe",
      "function setAvatar(address _avatar) public onlyOwner {",
      "function setAvatar(address _avatar) public {",
    ],
  ]),
  ...of(`${zodiac}/signature/ExecutionTracker.sol`, [
    ["a message cannot be taken back", "consumed[msg.sender][hash] = true;", ""],
  ]),
  ...of("apps/local/src/patch.ts", [
    ["a signer that reverts has signed", "return success && bytes4", "return bytes4"],
    ["any contract has signed", "return success && bytes4(returnData) == EIP1271_MAGIC_VALUE;", "return success;"],
    [
      "a message is signed for any salt",
      ...signatureChecker("keccak256(data), salt))", "keccak256(data), bytes32(0)))"),
    ],
    ["a message is signed for any chain", ...signatureChecker("block.chainid, this", "uint256(1), this")],
    ["a message is signed for any call", ...signatureChecker("keccak256(data), salt", "bytes32(0), salt")],
  ]),
  ...of(`${safe}/base/ModuleManager.sol`, [
    [
      "anyone moves a Safe as its module",
      `        require(msg.sender != SENTINEL_MODULES && modules[msg.sender] != address(0), "GS104");`,
      "",
    ],
  ]),
  ...of(`${safe}/common/SelfAuthorized.sol`, [
    ["anyone sets a Safe up", `require(msg.sender == address(this), "GS031");`, ""],
  ]),
  ...of(`${safe}/GnosisSafe.sol`, [
    [
      "any key signs for a Safe",
      `require(currentOwner > lastOwner && owners[currentOwner] != address(0) && currentOwner != SENTINEL_OWNERS, "GS026");`,
      "",
    ],
    [
      "anyone sends as a Safe's owner",
      `require(msg.sender == currentOwner || approvedHashes[currentOwner][dataHash] != 0, "GS025");`,
      "",
    ],
    ["a Safe asks for no signature", "checkNSignatures(dataHash, data, signatures, _threshold);", ""],
  ]),
  ...of("@openzeppelin/contracts/token/ERC20/ERC20.sol", [
    ["a token needs no approval", "_spendAllowance(from, spender, value);", ""],
  ]),
  ...of(deployments.rolesMastercopy, [
    ["anyone owns Roles", "031614610b9457", "031617610b9457"],
    ["a signed spend runs twice", "60ff16156118cb57", "60ff17196118cb57"],
  ]),
  ...of("packages/chain/src/listSetUpSteps.ts", [
    ["an account has no cooldown", "cooldown: config.cooldownSeconds", "cooldown: 0"],
    ["entries never expire", "expiration: config.expirationSeconds", "expiration: 0"],
    ["the spender pays itself", "receiver: config.settlement", "receiver: config.spender"],
    ["the settlement account spends", "spender: config.spender", "spender: config.settlement"],
    ["the limit is another one", "refill: config.dailyLimit", "refill: config.dailyLimit * 2n"],
    ["the limit's period is another one", "period: config.periodSeconds", "period: config.periodSeconds * 2"],
  ]),
  ...policyMutants,
  ...of(policy, [
    ["any call is a transfer", `return isTransfer(call) ? "token" : null;`, `return "token";`],
    [
      "a call with money is a payment",
      `if (call.data === "0x") return "native";`,
      `if (call.value > 0n) return "native";`,
    ],
    ["any call of the Bouncer sets a limit", `isLimitWithin(call.data, policy) ? "limit" : null`, `"limit"`],
  ]),
];
