// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

import {IBouncer, IDelay, IModifier, IRoles, ISafe, IToken} from "./Interfaces.sol";
import {Queue} from "./Queue.sol";
import {SPENDING_ALLOWANCE, SPENDING_ROLE, Vector} from "./World.sol";
import {vm} from "./Vm.sol";

/// Keys without a right try everything: the operator's former key, a stranger, the spender beyond its role. What they may not
/// change is compared after each call.
abstract contract Outsiders is Queue {
  /// A signed spend that ran, for those who send it again.
  bytes internal lastSpend;
  uint256 public refusedCalls;
  uint256 public refusedForgeries;

  function operatorTries(uint256 seed) external {
    tryAll(seed, operatorKey);
  }

  function strangerTries(uint256 seed) external {
    tryAll(seed, strangerKey);
  }

  function spenderTries(uint256 seed) external {
    if (draw(seed, "as", 2) == 0) return tryAll(seed, spenderKey);
    if (isChanged) return;
    (bytes memory data, bool isAllowed) = spenderCall(seed);
    if (isAllowed) return;
    vm.prank(spender);
    (bool ok, bytes memory answer) = address(roles).call(data);
    require(!ok || !abi.decode(answer, (bool)), "the spender's role permits another call");
    refusedCalls++;
  }

  /// A call by the spender's role that is not the transfer to the settlement account.
  function spenderCall(uint256 seed) private view returns (bytes memory data, bool isAllowed) {
    address me = spender;
    Vector memory vector = vectors[draw(seed, "vector", vectors.length)];
    bytes32 role = SPENDING_ROLE;
    uint256 way = draw(seed, "way", 8);
    if (way <= 5) (vector.to, vector.value, vector.operation) = (address(eure), 0, 0);
    if (way == 0) vector.data = abi.encodeCall(IToken.transfer, (me, 1));
    if (way == 1) vector.data = abi.encodeWithSignature("approve(address,uint256)", me, 1);
    if (way == 2) vector.data = abi.encodeCall(IToken.transferFrom, (address(safe), settlement, 1));
    if (way == 3) (vector.data, vector.to) = (abi.encodeCall(IToken.transfer, (settlement, 1)), address(gbpe));
    if (way == 4) (vector.data, vector.operation) = (abi.encodeCall(IToken.transfer, (settlement, 1)), 1);
    if (way == 5) (vector.data, role) = (abi.encodeCall(IToken.transfer, (settlement, 1)), keccak256("OTHER"));
    bytes memory toSettlement = abi.encodePacked(IToken.transfer.selector, uint256(uint160(settlement)));
    isAllowed = way > 5 && vector.to == address(eure) && startsWith(vector.data, toSettlement);
    data = abi.encodeCall(
      IRoles.execTransactionWithRole,
      (vector.to, vector.value, vector.data, vector.operation, role, draw(seed, "revert", 2) == 0)
    );
  }

  function startsWith(bytes memory data, bytes memory begin) private pure returns (bool) {
    if (data.length < begin.length) return false;
    for (uint256 i = 0; i < begin.length; i++) if (data[i] != begin[i]) return false;
    return true;
  }

  /// One call with a thief's aims. Whether it reverts or not, the account stays as it was.
  function tryAll(uint256 seed, uint256 key) private {
    if (isChanged) return;
    address me = vm.addr(key);
    Vector memory vector = vectors[draw(seed, "vector", vectors.length)];
    (address to, bytes memory data) = attempt(seed, key, vector);
    // Everyone may skip what has expired: another handler does.
    if (bytes4(data) == IDelay.skipExpired.selector || bytes4(data) == IDelay.executeNextTx.selector) return;
    vm.prank(me);
    (bool ok, bytes memory answer) = to.call(data);
    if (bytes4(data) == ISafe.isValidSignature.selector) {
      require(!ok || bytes4(answer) != ISafe.isValidSignature.selector, "the Safe signed for an outsider");
    }
    refusedCalls++;
  }

  function attempt(uint256 seed, uint256 key, Vector memory vector)
    private
    view
    returns (address to, bytes memory data)
  {
    address me = vm.addr(key);
    uint256 way = draw(seed, "attempt", 11);
    if (way <= 2) vector = vectors[inner[draw(seed, "inner", inner.length)]];
    if (way <= 2) return (vector.to, vector.data);
    if (way == 3) return (draw(seed, "module", 2) == 0 ? address(delay) : address(roles), enqueueData(vector));
    if (way == 4) return (address(safe), enqueueData(vector));
    if (way == 5) return (address(safe), execution(seed, key, vector));
    if (way == 6) {
      return (
        address(bouncer),
        abi.encodeCall(IBouncer.setAllowance, (SPENDING_ALLOWANCE, 1 ether, 1 ether, 1 ether, 1 days, 0))
      );
    }
    if (way == 7) {
      IToken token = draw(seed, "token", 2) == 0 ? eure : gbpe;
      return (address(token), abi.encodeCall(IToken.transferFrom, (address(safe), me, 1)));
    }
    if (way == 8) return (address(safe), claim(seed, key));
    if (way == 9) {
      address[] memory owners = new address[](1);
      owners[0] = me;
      return (
        address(safe),
        abi.encodeCall(ISafe.setup, (owners, 1, address(0), "", address(0), address(0), 0, address(0)))
      );
    }
    // The spender's own calls by its role are tried apart.
    if (key == spenderKey) return (vector.to, vector.data);
    return (address(roles), spendData(draw(seed, "amount", 3)));
  }

  /// A transaction of the Safe, signed by one who is not its owner.
  function execution(uint256 seed, uint256 key, Vector memory vector) private view returns (bytes memory) {
    bytes32 hash = safe.getTransactionHash(
      vector.to, vector.value, vector.data, vector.operation, 0, 0, 0, address(0), address(0), safe.nonce()
    );
    bytes memory signatures = anySignature(seed, key, hash);
    return abi.encodeCall(
      ISafe.execTransaction,
      (vector.to, vector.value, vector.data, vector.operation, 0, 0, 0, address(0), address(0), signatures)
    );
  }

  /// A question whether the Safe signed a message: an order to the institution would need a yes.
  function claim(uint256 seed, uint256 key) private view returns (bytes memory) {
    bytes32 hash = keccak256(abi.encode(seed));
    return abi.encodeCall(ISafe.isValidSignature, (hash, anySignature(seed, key, hash)));
  }

  function anySignature(uint256 seed, uint256 key, bytes32 hash) private view returns (bytes memory) {
    uint256 form = draw(seed, "signature", 6);
    if (form == 0) return signPlainly(key, hash);
    if (form == 1) return namingSender(vm.addr(key));
    if (form == 2) return namingSender(address(2));
    if (form == 3) return namingContract(reverting);
    if (form == 4) return namingContract(agreeing);
    return "";
  }

  /// A message with a signature that is no owner's, or not of this message.
  function strangerForges(uint256 seed) external {
    if (isChanged) return;
    Vector memory vector = vectors[known[draw(seed, "vector", known.length)]];
    bytes memory data = forgery(seed, enqueueData(vector), keccak256(abi.encode("forged", seed)));
    if (data.length > 0) {
      vm.prank(stranger);
      (bool ok,) = address(delay).call(data);
      require(!ok, "a forged signature counted");
    }
    // A signed spend runs once, and no other key signs one.
    bytes memory again = draw(seed, "again", 2) == 0 && lastSpend.length > 0
      ? lastSpend
      : signedBy(strangerKey, address(roles), spendData(1), bytes32(seed));
    vm.prank(stranger);
    (bool hasSpent,) = address(roles).call(again);
    require(!hasSpent, "a spend ran twice, or by a stranger's signature");
    refusedForgeries++;
  }

  function forgery(uint256 seed, bytes memory data, bytes32 salt) private returns (bytes memory) {
    uint256 way = draw(seed, "forgery", 12);
    uint256 ownerKey = ownerKeys[0];
    if (way == 0) return signedBy(draw(seed, "key", 2) == 0 ? strangerKey : operatorKey, address(delay), data, salt);
    if (way == 1) return abi.encodePacked(data, bytes32(uint256(salt) + 1), tail(ownerKey, data, salt));
    if (way == 2) return lastMessage;
    if (way == 3) return byWalletWith(signPlainly(strangerKey, hashForWallet(messageHash(data, salt))), data, salt);
    if (way == 4) return byWalletWith(namingContract(reverting), data, salt);
    if (way == 5) return byWalletWith(namingContract(agreeing), data, salt);
    if (way == 6) return signedByContract(agreeing, data, hex"00", salt);
    if (way == 10) return signedByContract(refusing, data, hex"00", salt);
    if (way == 7) return signedByContract(owners[0], data, tail(ownerKey, data, salt), salt);
    if (way == 8) {
      bytes32 hash = hashMessage(address(delay), 1, data, salt);
      return abi.encodePacked(data, salt, signPlainly(ownerKey, hash));
    }
    if (way == 9) {
      bytes32 hash = hashMessage(address(roles), block.chainid, data, salt);
      return abi.encodePacked(data, salt, signPlainly(ownerKey, hash));
    }
    // The owner takes its own message back before it is sent.
    bytes32 own = messageHash(data, salt);
    vm.prank(owners[0]);
    delay.invalidate(own);
    return signedBy(ownerKey, address(delay), data, salt);
  }

  function messageHash(bytes memory data, bytes32 salt) private view returns (bytes32) {
    return hashMessage(address(delay), block.chainid, data, salt);
  }

  function tail(uint256 key, bytes memory data, bytes32 salt) private view returns (bytes memory) {
    return signPlainly(key, messageHash(data, salt));
  }

  function byWalletWith(bytes memory signature, bytes memory data, bytes32 salt) private view returns (bytes memory) {
    return signedByContract(address(wallet), data, signature, salt);
  }
}
