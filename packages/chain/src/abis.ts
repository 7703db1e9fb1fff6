/** Interfaces of the contracts, limited to the functions in use. Sources: the contracts named in `deployments`. */
import { parseAbi } from "viem";

export const safeAbi = parseAbi([
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool success)",
  "event ExecutionSuccess(bytes32 txHash, uint256 payment)",
  "event ExecutionFailure(bytes32 txHash, uint256 payment)",
  "event ExecutionFromModuleSuccess(address indexed module)",
]);

export const safeViewAbi = parseAbi([
  "function getOwners() view returns (address[])",
  "function getThreshold() view returns (uint256)",
  "function getModulesPaginated(address start, uint256 pageSize) view returns (address[] array, address next)",
]);

/** OpenZeppelin's Ownable, which both modules extend. */
export const ownableAbi = parseAbi(["function owner() view returns (address)"]);

export const multiSendAbi = parseAbi(["function multiSend(bytes transactions) payable"]);

export const multicallAbi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
  "function getCurrentBlockTimestamp() view returns (uint256 timestamp)",
  "function getBlockNumber() view returns (uint256 blockNumber)",
  "function getLastBlockHash() view returns (bytes32 blockHash)",
  "function getCurrentBlockTimestamp() view returns (uint256 timestamp)",
]);

/** Zodiac's Delay, with its base contract Modifier. */
export const delayAbi = parseAbi([
  "function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation) returns (bool success)",
  "function executeNextTx(address to, uint256 value, bytes data, uint8 operation)",
  "function skipExpired()",
  "function enableModule(address module)",
  "function disableModule(address prevModule, address module)",
  "function getModulesPaginated(address start, uint256 pageSize) view returns (address[] array, address next)",
  "function isModuleEnabled(address _module) view returns (bool)",
  "function consumed(address signer, bytes32 hash) view returns (bool)",
  "function txNonce() view returns (uint256)",
  "function queueNonce() view returns (uint256)",
  "function txCooldown() view returns (uint256)",
  "function txExpiration() view returns (uint256)",
  "function getTxCreatedAt(uint256 nonce) view returns (uint256)",
  "function getTxHash(uint256 nonce) view returns (bytes32)",
  "event TransactionAdded(uint256 indexed queueNonce, bytes32 indexed txHash, address to, uint256 value, bytes data, uint8 operation)",
  "event HashExecuted(bytes32 hash)",
  "event HashInvalidated(bytes32 hash)",
  "event TxCooldownSet(uint256 cooldown)",
  "event TxExpirationSet(uint256 expiration)",
  "event TxNonceSet(uint256 nonce)",
]);

/** Zodiac's Roles v2. */
export const rolesAbi = parseAbi([
  "function execTransactionWithRole(address to, uint256 value, bytes data, uint8 operation, bytes32 roleKey, bool shouldRevert) returns (bool success)",
  "function setAllowance(bytes32 key, uint128 balance, uint128 maxRefill, uint128 refill, uint64 period, uint64 timestamp)",
  "event SetAllowance(bytes32 allowanceKey, uint128 balance, uint128 maxRefill, uint128 refill, uint64 period, uint64 timestamp)",
  "function allowances(bytes32 key) view returns (uint128 refill, uint128 maxRefill, uint64 period, uint128 balance, uint64 timestamp)",
]);

export const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4 magicValue)",
]);

/** Errors of Solidity itself, of Safes' modules, of OpenZeppelin's contracts and of tokens. */
export const errorsAbi = parseAbi([
  "error Error(string message)",
  "error Panic(uint256 code)",
  "error AlreadyDisabledModule(address module)",
  "error AlreadyEnabledModule(address module)",
  "error HashAlreadyConsumed(bytes32 hash)",
  "error InvalidInitialization()",
  "error InvalidModule(address module)",
  "error InvalidPageSize()",
  "error NotAuthorized(address sender)",
  "error NotInitializing()",
  "error OwnableInvalidOwner(address owner)",
  "error OwnableUnauthorizedAccount(address account)",
  "error SetupModulesAlreadyCalled()",
  "error ArraysDifferentLength()",
  "error CalldataOutOfBounds()",
  "error ConditionViolation(uint8 status, bytes32 info)",
  "error FunctionSignatureTooShort()",
  "error MalformedMultiEntrypoint()",
  "error ModuleTransactionFailed()",
  "error NoMembership()",
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "error ERC20InvalidReceiver(address receiver)",
  "error ERC20InvalidSender(address sender)",
  "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  "error EnforcedPause()",
]);
