// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

import {SENTINEL, SPENDING_ALLOWANCE, World} from "./World.sol";
import {IToken} from "./Interfaces.sol";
import {vm} from "./Vm.sol";

struct Allowance {
  uint256 balance;
  uint256 refill;
  uint256 maxRefill;
  uint256 period;
  uint256 timestamp;
}

/// What an account holds, beside what its set-up, its owners and its limit are.
struct Money {
  uint256 eure;
  uint256 gbpe;
  uint256 native;
}

/// Reads the account: what it holds, how it is set up, and what its spender may move.
abstract contract AccountState is World {
  bytes32 private constant FALLBACK_HANDLER = keccak256("fallback_manager.handler.address");
  bytes32 private constant GUARD = keccak256("guard_manager.guard.address");

  function readMoney() internal view returns (Money memory) {
    return Money(eure.balanceOf(address(safe)), gbpe.balanceOf(address(safe)), address(safe).balance);
  }

  /// Everything that an entry of a known kind leaves as it is.
  function hashSetUp() internal view returns (bytes32) {
    (address[] memory modules,) = safe.getModulesPaginated(SENTINEL, 10);
    bytes32 ofSafe = keccak256(
      abi.encode(
        vm.load(address(safe), 0),
        vm.load(address(safe), FALLBACK_HANDLER),
        vm.load(address(safe), GUARD),
        safe.getOwners(),
        safe.getThreshold(),
        modules,
        safe.nonce()
      )
    );
    bytes32 ofDelay =
      keccak256(abi.encode(delay.owner(), delay.avatar(), delay.target(), delay.txCooldown(), delay.txExpiration()));
    (address[] memory members,) = roles.getModulesPaginated(SENTINEL, 10);
    bytes32 ofRoles = keccak256(
      abi.encode(roles.owner(), roles.avatar(), roles.target(), members, roles.defaultRoles(spender))
    );
    return keccak256(abi.encode(ofSafe, ofDelay, ofRoles, hashPowers()));
  }

  /// What others may take of the Safe's tokens.
  function hashPowers() private view returns (bytes32) {
    address[2] memory others = [spender, stranger];
    uint256 powers;
    for (uint256 i = 0; i < others.length; i++) {
      powers |= eure.allowance(address(safe), others[i]) | gbpe.allowance(address(safe), others[i])
        | plain.lent(address(safe), others[i]);
    }
    return bytes32(powers);
  }

  function readAllowance() internal view returns (Allowance memory) {
    (uint128 refill, uint128 maxRefill, uint64 period, uint128 balance, uint64 timestamp) =
      roles.allowances(SPENDING_ALLOWANCE);
    return Allowance(balance, refill, maxRefill, period, timestamp);
  }

  /// An allowance with the refills that are due: the arithmetic of `accrueAllowance` in `packages/chain`.
  function accrue(Allowance memory allowance) internal view returns (Allowance memory) {
    if (allowance.period == 0 || block.timestamp < allowance.timestamp + allowance.period) return allowance;
    uint256 periods = (block.timestamp - allowance.timestamp) / allowance.period;
    allowance.timestamp += periods * allowance.period;
    if (allowance.balance >= allowance.maxRefill) return allowance;
    allowance.balance += allowance.refill * periods;
    if (allowance.balance > allowance.maxRefill) allowance.balance = allowance.maxRefill;
    return allowance;
  }

  /// Whether the spender may move an amount now; nothing of it stays.
  function canSpend(uint256 amount) internal returns (bool ok) {
    try this.trySpend(amount) {}
    catch (bytes memory answer) {
      ok = answer.length == 32 && abi.decode(answer, (bool));
    }
  }

  function trySpend(uint256 amount) external {
    uint256 before = eure.balanceOf(settlement);
    vm.prank(spender);
    (bool ok,) = address(roles).call(spendData(amount));
    undo(ok && eure.balanceOf(settlement) == before + amount);
  }

  /// Whether the Safe itself could make a call now; nothing of it stays.
  function couldRun(address to, uint256 value, bytes memory data) internal returns (bool ok) {
    try this.tryAsSafe(to, value, data) {}
    catch (bytes memory answer) {
      ok = answer.length == 32 && abi.decode(answer, (bool));
    }
  }

  function tryAsSafe(address to, uint256 value, bytes calldata data) external {
    vm.prank(address(safe));
    (bool ok,) = to.call{value: value}(data);
    undo(ok);
  }

  function undo(bool ok) private pure {
    assembly {
      mstore(0, ok)
      revert(0, 32)
    }
  }

  function mintTo(IToken token, address to, uint256 amount) internal {
    vm.prank(minter);
    token.mint(to, amount);
  }
}
