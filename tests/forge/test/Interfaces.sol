// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

interface IModifier {
  function execTransactionFromModule(address to, uint256 value, bytes calldata data, uint8 operation)
    external
    returns (bool);
  function execTransactionFromModuleReturnData(address to, uint256 value, bytes calldata data, uint8 operation)
    external
    returns (bool, bytes memory);
  function avatar() external view returns (address);
  function consumed(address signer, bytes32 hash) external view returns (bool);
  function getModulesPaginated(address start, uint256 size) external view returns (address[] memory, address);
  function invalidate(bytes32 hash) external;
  function isModuleEnabled(address module) external view returns (bool);
  function moduleTxHash(bytes calldata data, bytes32 salt) external view returns (bytes32);
  function owner() external view returns (address);
  function target() external view returns (address);
}

interface IDelay is IModifier {
  function executeNextTx(address to, uint256 value, bytes calldata data, uint8 operation) external;
  function getTxCreatedAt(uint256 nonce) external view returns (uint256);
  function getTxHash(uint256 nonce) external view returns (bytes32);
  function queueNonce() external view returns (uint256);
  function skipExpired() external;
  function txCooldown() external view returns (uint256);
  function txExpiration() external view returns (uint256);
  function txNonce() external view returns (uint256);
}

interface IRoles is IModifier {
  function allowances(bytes32 key)
    external
    view
    returns (uint128 refill, uint128 maxRefill, uint64 period, uint128 balance, uint64 timestamp);
  function defaultRoles(address module) external view returns (bytes32);
  function execTransactionWithRole(
    address to,
    uint256 value,
    bytes calldata data,
    uint8 operation,
    bytes32 roleKey,
    bool shouldRevert
  ) external returns (bool);
}

interface ISafe {
  function domainSeparator() external view returns (bytes32);
  function execTransaction(
    address to,
    uint256 value,
    bytes calldata data,
    uint8 operation,
    uint256 safeTxGas,
    uint256 baseGas,
    uint256 gasPrice,
    address gasToken,
    address refundReceiver,
    bytes calldata signatures
  ) external returns (bool);
  function execTransactionFromModule(address to, uint256 value, bytes calldata data, uint8 operation)
    external
    returns (bool);
  function getModulesPaginated(address start, uint256 size) external view returns (address[] memory, address);
  function getOwners() external view returns (address[] memory);
  function getThreshold() external view returns (uint256);
  function getTransactionHash(
    address to,
    uint256 value,
    bytes calldata data,
    uint8 operation,
    uint256 safeTxGas,
    uint256 baseGas,
    uint256 gasPrice,
    address gasToken,
    address refundReceiver,
    uint256 nonce
  ) external view returns (bytes32);
  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
  function nonce() external view returns (uint256);
  function setup(
    address[] calldata owners,
    uint256 threshold,
    address to,
    bytes calldata data,
    address fallbackHandler,
    address paymentToken,
    uint256 payment,
    address paymentReceiver
  ) external;
}

interface IToken {
  function allowance(address from, address spender) external view returns (uint256);
  function balanceOf(address account) external view returns (uint256);
  function mint(address to, uint256 amount) external;
  function transfer(address to, uint256 amount) external returns (bool);
  function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IBouncer {
  function setAllowance(bytes32 key, uint128 balance, uint128 maxRefill, uint128 refill, uint64 period, uint64 timestamp)
    external;
}
