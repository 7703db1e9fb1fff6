// SPDX-License-Identifier: LGPL-3.0-only
pragma solidity ^0.8.24;

import {Enum} from "@gnosis.pm/safe-contracts/contracts/common/Enum.sol";
import {Modifier} from "@gnosis.pm/zodiac/contracts/core/Modifier.sol";

/// @title Delay - a queue between the modules of an avatar and the avatar itself
/// @notice For local chains only. Behaves as the Delay modifier deployed at its canonical address; it is not its code.
///         It is compiled with a corrected signature check of zodiac; see `patch.ts`.
/// @dev Calls run in the order in which they were queued, once cooled down and before they expire. Cooldown and
///      expiration are those in force when a call runs, not those in force when it was queued.
contract Delay is Modifier {
  event DelaySetup(address indexed initiator, address indexed owner, address indexed avatar, address target);
  event TransactionAdded(
    uint256 indexed queueNonce,
    bytes32 indexed txHash,
    address to,
    uint256 value,
    bytes data,
    Enum.Operation operation
  );
  event TxCooldownSet(uint256 cooldown);
  event TxExpirationSet(uint256 expiration);
  event TxNonceSet(uint256 nonce);

  /// @dev Shortest lifetime of a cooled down call, unless calls never expire.
  uint256 private constant MIN_EXPIRATION = 60 seconds;

  /// @notice Seconds from queueing until a call may run.
  uint256 public txCooldown;
  /// @notice Seconds a cooled down call may run for; 0 means for ever.
  uint256 public txExpiration;
  /// @notice Number of the call that runs next.
  uint256 public txNonce;
  /// @notice Number that the next queued call gets.
  uint256 public queueNonce;
  mapping(uint256 => bytes32) public txHash;
  mapping(uint256 => uint256) public txCreatedAt;

  /// @param initParams abi.encode(owner, avatar, target, cooldown, expiration)
  function setUp(bytes memory initParams) public override initializer {
    (address owner_, address avatar_, address target_, uint256 cooldown, uint256 expiration) = abi.decode(
      initParams,
      (address, address, address, uint256, uint256)
    );
    require(avatar_ != address(0), "Avatar can not be zero address");
    require(target_ != address(0), "Target can not be zero address");
    _requireExpiration(expiration);

    // Not `__Ownable_init`, which refuses owner 0.
    _transferOwnership(owner_);
    avatar = avatar_;
    target = target_;
    txCooldown = cooldown;
    txExpiration = expiration;
    setupModules();
    emit DelaySetup(msg.sender, owner_, avatar_, target_);
    emit AvatarSet(address(0), avatar_);
    emit TargetSet(address(0), target_);
  }

  function setTxCooldown(uint256 cooldown) external onlyOwner {
    txCooldown = cooldown;
    emit TxCooldownSet(cooldown);
  }

  function setTxExpiration(uint256 expiration) external onlyOwner {
    _requireExpiration(expiration);
    txExpiration = expiration;
    emit TxExpirationSet(expiration);
  }

  /// @notice Gives up every queued call before `nonce`.
  function setTxNonce(uint256 nonce) external onlyOwner {
    require(nonce > txNonce, "New nonce must be higher than current txNonce");
    require(nonce <= queueNonce, "Cannot be higher than queueNonce");
    txNonce = nonce;
    emit TxNonceSet(nonce);
  }

  /// @notice Queues a call, for a module or for whoever brings a module's signature behind the calldata.
  function execTransactionFromModule(
    address to,
    uint256 value,
    bytes calldata data,
    Enum.Operation operation
  ) public override moduleOnly returns (bool success) {
    _enqueue(to, value, data, operation);
    return true;
  }

  /// @notice Queues a call and answers its number, its hash and the time.
  function execTransactionFromModuleReturnData(
    address to,
    uint256 value,
    bytes calldata data,
    Enum.Operation operation
  ) public override moduleOnly returns (bool success, bytes memory returnData) {
    (uint256 nonce, bytes32 hash) = _enqueue(to, value, data, operation);
    return (true, abi.encode(nonce, hash, block.timestamp));
  }

  /// @notice Runs the next call in the queue, for anyone who knows what it is.
  /// @dev A call that fails reverts everything, so it stays the next one.
  function executeNextTx(address to, uint256 value, bytes calldata data, Enum.Operation operation) external {
    uint256 nonce = txNonce;
    require(nonce < queueNonce, "Transaction queue is empty");
    require(block.timestamp - txCreatedAt[nonce] >= txCooldown, "Transaction is still in cooldown");
    require(!_isExpired(nonce), "Transaction expired");
    require(txHash[nonce] == getTransactionHash(to, value, data, operation), "Transaction hashes do not match");
    txNonce = nonce + 1;
    require(exec(to, value, data, operation), "Module transaction failed");
  }

  /// @notice Gives up the expired calls at the head of the queue, if any, up to the first that is not expired.
  function skipExpired() external {
    uint256 nonce = txNonce;
    while (nonce < queueNonce && _isExpired(nonce)) nonce++;
    txNonce = nonce;
  }

  function getTransactionHash(
    address to,
    uint256 value,
    bytes memory data,
    Enum.Operation operation
  ) public pure returns (bytes32) {
    return keccak256(abi.encodePacked(to, value, data, operation));
  }

  function getTxHash(uint256 nonce) external view returns (bytes32) {
    return txHash[nonce];
  }

  function getTxCreatedAt(uint256 nonce) external view returns (uint256) {
    return txCreatedAt[nonce];
  }

  function _enqueue(
    address to,
    uint256 value,
    bytes calldata data,
    Enum.Operation operation
  ) private returns (uint256 nonce, bytes32 hash) {
    nonce = queueNonce;
    hash = getTransactionHash(to, value, data, operation);
    txHash[nonce] = hash;
    txCreatedAt[nonce] = block.timestamp;
    queueNonce = nonce + 1;
    emit TransactionAdded(nonce, hash, to, value, data, operation);
  }

  function _isExpired(uint256 nonce) private view returns (bool) {
    return txExpiration != 0 && txCreatedAt[nonce] + txCooldown + txExpiration < block.timestamp;
  }

  function _requireExpiration(uint256 expiration) private pure {
    require(expiration == 0 || expiration >= MIN_EXPIRATION, "Expiration must be 0 or at least 60 seconds");
  }
}
