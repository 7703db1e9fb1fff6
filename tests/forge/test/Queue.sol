// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

import {AccountState, Allowance, Money} from "./State.sol";
import {IDelay, IModifier} from "./Interfaces.sol";
import {LIMIT, NATIVE, OWNER_ADD, OWNER_REMOVE, TOKEN, VIOLATION, Vector} from "./World.sol";
import {vm} from "./Vm.sol";

/// A call in the queue, as these tests remember it apart from the module.
struct Entry {
  uint16 vector;
  uint64 createdAt;
}

/// The owners' side: entries are queued, run and skipped. What each may change is noted here, and compared after each call.
abstract contract Queue is AccountState {
  Entry[] internal entries;
  /// The entry that runs next.
  uint256 internal head;
  /// A violation has run: from then on nothing is promised.
  bool public isChanged;
  bytes32 internal knownSetUp;
  address[] internal knownOwners;
  Money internal knownMoney;
  Allowance internal knownAllowance;
  /// A signed message that the module took, for those who send it again.
  bytes internal lastMessage;

  uint256 public queued;
  uint256 public queuedViolations;
  uint256 public refusedOwners;
  uint256[7] public executed;
  uint256 public refusedDispatches;
  uint256 public skipped;
  uint256 public reentered;

  /// Queues a call as an owner, or as one who was an owner.
  function ownerQueues(uint256 seed) external {
    if (isChanged) return;
    uint16[] storage list = draw(seed, "kind", 24) == 0 ? violations : known;
    uint16 index = list[draw(seed, "vector", list.length)];
    queue(seed, index);
    uint16 next = vectors[index].next;
    if (next != 0) queue(seed + 1, next - 1);
  }

  function queue(uint256 seed, uint16 index) private {
    Vector memory vector = vectors[index];
    uint256 who = draw(seed, "owner", ownerKeys.length + 1);
    bool isWallet = who == ownerKeys.length;
    address owner = isWallet ? address(wallet) : owners[who];
    bytes memory data = enqueueData(vector);
    if (draw(seed, "function", 4) == 0) {
      data = abi.encodeWithSelector(
        IModifier.execTransactionFromModuleReturnData.selector, vector.to, vector.value, vector.data, vector.operation
      );
    }
    bool isOwner = isKnownOwner(owner);
    bool isDirect = draw(seed, "way", 3) == 0;
    if (!isDirect) {
      bytes32 salt = keccak256(abi.encode(seed, entries.length, block.timestamp));
      data = isWallet ? byWallet(data, salt) : signedBy(ownerKeys[who], address(delay), data, salt);
    }
    vm.prank(isDirect ? owner : draw(seed, "sender", 2) == 0 ? stranger : operator);
    (bool ok,) = address(delay).call(data);
    require(ok == isOwner, "an owner's entry was refused, or another's was taken");
    if (!ok) {
      refusedOwners++;
      return;
    }
    if (!isDirect) lastMessage = data;
    entries.push(Entry(index, uint64(block.timestamp)));
    queued++;
    if (vector.kind == VIOLATION) queuedViolations++;
  }

  function isKnownOwner(address owner) private view returns (bool) {
    for (uint256 i = 0; i < knownOwners.length; i++) if (knownOwners[i] == owner) return true;
    return false;
  }

  function byWallet(bytes memory data, bytes32 salt) private view returns (bytes memory) {
    bytes32 hash = hashMessage(address(delay), block.chainid, data, salt);
    return signedByContract(address(wallet), data, signPlainly(walletKey, hashForWallet(hash)), salt);
  }

  /// Anyone runs the head, or tries to: too early, too late, or with another call than the queued one.
  function anyoneDispatches(uint256 seed) external {
    if (isChanged) return;
    goNear(seed);
    Vector memory vector = vectors[head < entries.length ? entries[head].vector : draw(seed, "none", vectors.length)];
    uint256 flaw = head < entries.length ? draw(seed, "flaw", 12) : 0;
    if (flaw == 1) vector.value += 1;
    if (flaw == 2) vector.to = payee == vector.to ? settlement : payee;
    if (flaw == 3) vector.data = abi.encodePacked(vector.data, uint8(0));
    if (flaw == 4) vector.operation = 1 - vector.operation;
    bool isFlawed = head == entries.length || (flaw >= 1 && flaw <= 4);
    arm(seed, vector);
    bool isDue = !isFlawed && isReady(head) && !isExpired(head);
    if (!dispatch(seed, vector)) {
      refusedDispatches++;
      bool isPlain = vector.to != address(hostile) && vector.kind != VIOLATION && vector.operation == 0;
      require(
        !isDue || !isPlain || !couldRun(vector.to, vector.value, vector.data), "an entry that is due did not run"
      );
      return;
    }
    require(isDue, "an entry ran too early, too late, or as another call");
    complete();
    if (vector.to == address(hostile) && vector.operation == 0) followHostile();
  }

  function dispatch(uint256 seed, Vector memory vector) private returns (bool ok) {
    address[3] memory senders = [stranger, operator, spender];
    vm.prank(senders[draw(seed, "sender", 3)]);
    (ok,) = address(delay).call(dispatchData(vector));
  }

  function dispatchData(Vector memory vector) private pure returns (bytes memory) {
    return abi.encodeWithSelector(
      IDelay.executeNextTx.selector, vector.to, vector.value, vector.data, vector.operation
    );
  }

  /// Half of the time the clock goes to where the head becomes ready or expires, or a second beside it.
  function goNear(uint256 seed) internal {
    if (head == entries.length || draw(seed, "near", 4) == 0) return;
    uint256 moment = uint256(entries[head].createdAt) + cooldown;
    if (draw(seed, "edge", 4) == 0) moment += expiration;
    moment = moment + draw(seed, "second", 3) - 1;
    if (moment > block.timestamp) vm.warp(moment);
  }

  function isReady(uint256 nonce) internal view returns (bool) {
    return block.timestamp >= entries[nonce].createdAt + cooldown;
  }

  function isExpired(uint256 nonce) internal view returns (bool) {
    return block.timestamp > entries[nonce].createdAt + cooldown + expiration;
  }

  /// The hostile token calls the queue again: the entry behind it, or the same one.
  function arm(uint256 seed, Vector memory vector) private {
    if (vector.to != address(hostile)) return;
    if (draw(seed, "same", 2) == 0 || head + 1 >= entries.length) hostile.arm(address(delay), dispatchData(vector));
    else hostile.arm(address(delay), dispatchData(vectors[entries[head + 1].vector]));
  }

  /// The entry that the hostile token ran has left the queue, too.
  function followHostile() private {
    if (!hostile.hasRun()) return;
    require(head < entries.length && isReady(head) && !isExpired(head), "an entry ran twice or too early");
    reentered++;
    complete();
  }

  /// The head has run: what its kind may change is noted.
  function complete() private {
    Vector memory vector = vectors[entries[head].vector];
    head++;
    executed[vector.kind]++;
    if (vector.kind == VIOLATION) isChanged = true;
    if (vector.kind == NATIVE && vector.to != address(safe)) knownMoney.native -= vector.value;
    if (vector.kind == TOKEN) noteTransfer(vector);
    if (vector.kind == OWNER_ADD) noteAdded(abi.decode(argumentsOf(vector.data), (address)));
    if (vector.kind == OWNER_REMOVE) noteRemoved(vector.data);
    if (vector.kind == LIMIT) knownAllowance = limitOf(vector.data);
  }

  function noteTransfer(Vector memory vector) private {
    (address to, uint256 amount) = abi.decode(argumentsOf(vector.data), (address, uint256));
    if (to == address(safe)) return;
    if (vector.to == address(eure)) knownMoney.eure -= amount;
    if (vector.to == address(gbpe)) knownMoney.gbpe -= amount;
  }

  /// The newest owner stands first.
  function noteAdded(address owner) private {
    knownOwners.push(owner);
    for (uint256 i = knownOwners.length - 1; i > 0; i--) knownOwners[i] = knownOwners[i - 1];
    knownOwners[0] = owner;
  }

  function noteRemoved(bytes memory data) private {
    // A mutant of the policy may take another call for this one.
    if (data.length != 68) return;
    (, address owner) = abi.decode(argumentsOf(data), (address, address));
    uint256 place = 0;
    while (place < knownOwners.length && knownOwners[place] != owner) place++;
    for (uint256 i = place; i + 1 < knownOwners.length; i++) knownOwners[i] = knownOwners[i + 1];
    if (place < knownOwners.length) knownOwners.pop();
  }

  /// The module's own reading of a limit: no largest balance is one without end, and no instant is now.
  function limitOf(bytes memory data) private view returns (Allowance memory) {
    (, uint128 balance, uint128 maxRefill, uint128 refill, uint64 period, uint64 timestamp) =
      abi.decode(argumentsOf(data), (bytes32, uint128, uint128, uint128, uint64, uint64));
    return Allowance({
      balance: balance,
      refill: refill,
      maxRefill: maxRefill == 0 ? type(uint128).max : maxRefill,
      period: period,
      timestamp: timestamp == 0 ? block.timestamp : timestamp
    });
  }

  function argumentsOf(bytes memory data) internal pure returns (bytes memory rest) {
    rest = new bytes(data.length - 4);
    for (uint256 i = 0; i < rest.length; i++) rest[i] = data[i + 4];
  }

  /// Anyone drops the expired heads, and none that is not.
  function anyoneSkips(uint256 seed) external {
    if (isChanged) return;
    if (head < entries.length && draw(seed, "wait", 2) == 0) {
      uint256 moment = uint256(entries[head].createdAt) + cooldown + expiration + draw(seed, "second", 3) - 1;
      if (moment > block.timestamp) vm.warp(moment);
    }
    uint256 next = head;
    while (next < entries.length && isExpired(next)) next++;
    vm.prank(stranger);
    delay.skipExpired();
    require(delay.txNonce() == next, "a live entry was dropped, or an expired one stayed");
    skipped += next - head;
    head = next;
  }
}
