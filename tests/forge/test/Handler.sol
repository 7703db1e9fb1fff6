// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

import {Allowance, Money} from "./State.sol";
import {IToken} from "./Interfaces.sol";
import {Vector, World} from "./World.sol";
import {Outsiders} from "./Outsiders.sol";
import {vm} from "./Vm.sol";

/// An authorised payment: the service approved it while the queue was empty.
struct Hold {
  uint256 amount;
  uint256 since;
}

/// Spender and time, and what holds for the account at each moment.
contract Handler is Outsiders {
  Hold[] internal holds;
  uint256 internal held;
  uint256 internal spent;
  uint256 internal signed;
  uint256 internal settledAtStart;

  uint256 public spends;
  uint256 public refusedSpends;
  uint256 public authorised;
  uint256 public captured;

  constructor(string memory path) World(path) {
    string memory json = vm.readFile(path);
    requireSetUp();
    knownSetUp = hashSetUp();
    knownOwners = ownersOfDelay();
    knownMoney = readMoney();
    uint256 limit = vm.parseJsonUint(json, ".dailyLimit");
    knownAllowance = Allowance({
      balance: limit,
      refill: limit,
      maxRefill: limit,
      period: vm.parseJsonUint(json, ".periodSeconds"),
      timestamp: vm.parseJsonUint(json, ".allowanceStartsAt")
    });
    settledAtStart = eure.balanceOf(settlement);
  }

  /// An account as the documents promise it: moved by two modules alone, of which one waits and the other has one purpose.
  function requireSetUp() private view {
    address[] memory dead = safe.getOwners();
    require(dead.length == 1 && dead[0] == address(2) && safe.getThreshold() == 1, "the Safe has an owner with a key");
    (address[] memory modules,) = safe.getModulesPaginated(address(1), 10);
    bool isPair = modules.length == 2 && modules[0] != modules[1];
    for (uint256 i = 0; i < modules.length; i++) {
      isPair = isPair && (modules[i] == address(delay) || modules[i] == address(roles));
    }
    require(isPair, "the Safe has other modules");
    require(delay.owner() == address(safe) && roles.owner() == address(bouncer), "a module has another owner");
    require(delay.avatar() == address(safe) && delay.target() == address(safe), "the queue moves another Safe");
    require(roles.avatar() == address(safe) && roles.target() == address(safe), "the spender moves another Safe");
    require(delay.txCooldown() == cooldown && delay.txExpiration() == expiration, "the queue has another cooldown");
    address[] memory list = ownersOfDelay();
    require(list.length == 3 && delay.isModuleEnabled(refusing), "the account has other owners");
    require(delay.isModuleEnabled(owners[0]) && delay.isModuleEnabled(address(wallet)), "an owner is missing");
  }

  /// What the spender may move now, of the account's money and within its limit, by what is known.
  function most() internal view returns (uint256) {
    uint256 balance = knownMoney.eure;
    uint256 allowed = accrue(knownAllowance).balance;
    return balance < allowed ? balance : allowed;
  }

  /// A payment is authorised while no entry waits; it is owed within the cooldown, before any later entry can run.
  function programmeAuthorises(uint256 seed) external {
    if (isChanged || head < entries.length) return;
    dropLapsed();
    uint256 free = most() - held;
    if (free == 0) return;
    uint256 amount = draw(seed, "all", 6) == 0 ? free : 1 + draw(seed, "amount", free);
    holds.push(Hold(amount, block.timestamp));
    held += amount;
    authorised++;
  }

  function dropLapsed() private {
    for (uint256 i = holds.length; i > 0; i--) {
      if (block.timestamp < holds[i - 1].since + cooldown) continue;
      held -= holds[i - 1].amount;
      holds[i - 1] = holds[holds.length - 1];
      holds.pop();
    }
  }

  /// The spender collects what was authorised. It has the right to it, whatever the owner queued since.
  function spenderCaptures(uint256 seed) external {
    if (isChanged) return;
    dropLapsed();
    if (holds.length == 0) return;
    uint256 index = draw(seed, "hold", holds.length);
    uint256 amount = holds[index].amount;
    require(spend(seed, amount), "what was authorised could not be collected");
    held -= amount;
    holds[index] = holds[holds.length - 1];
    holds.pop();
    captured++;
  }

  /// The spender moves what it may, or tries to move more.
  function spenderSpends(uint256 seed) external {
    if (isChanged) return;
    dropLapsed();
    uint256 limit = most();
    if (draw(seed, "more", 2) == 0) {
      uint256 above = limit + 1 + draw(seed, "above", draw(seed, "far", 2) == 0 ? 2 : 1e24);
      require(!spend(seed, above), "the spender moved more than the allowance or the balance");
      refusedSpends++;
      return;
    }
    uint256 free = limit - held;
    uint256 amount = draw(seed, "all", 5) == 0 ? free : draw(seed, "amount", free + 1);
    require(spend(seed, amount), "the spender could not move what it may");
    spends++;
  }

  function spend(uint256 seed, uint256 amount) private returns (bool ok) {
    bytes memory data = spendData(amount);
    bool isDirect = draw(seed, "way", 2) == 0;
    if (!isDirect) data = signedBy(spenderKey, address(roles), data, keccak256(abi.encode("spend", signed++)));
    uint256 before = eure.balanceOf(settlement);
    vm.prank(isDirect ? spender : stranger);
    (ok,) = address(roles).call(data);
    uint256 moved = eure.balanceOf(settlement) - before;
    require(moved == (ok ? amount : 0), "a spend moved another amount");
    if (ok && !isDirect) lastSpend = data;
    if (!ok || amount == 0) return ok;
    spent += amount;
    knownMoney.eure -= amount;
    Allowance memory left = accrue(knownAllowance);
    left.balance -= amount;
    knownAllowance = left;
  }

  function timePasses(uint256 seed) external {
    uint256[8] memory steps = [uint256(30), 30, cooldown, cooldown, expiration, 1 days, 3 days, 40 days];
    vm.warp(block.timestamp + draw(seed, "seconds", steps[draw(seed, "step", 8)]) + 1);
  }

  function someonePaysIn(uint256 seed) external {
    if (isChanged) return;
    uint256 what = draw(seed, "what", 3);
    uint256 amount = draw(seed, "amount", what == 0 ? 5 ether : 5_000 ether);
    if (what == 0) vm.deal(address(safe), address(safe).balance + amount);
    else mintTo(what == 1 ? gbpe : eure, address(safe), amount);
    if (what == 0) knownMoney.native += amount;
    if (what == 1) knownMoney.gbpe += amount;
    if (what == 2) knownMoney.eure += amount;
  }

  /// What holds for an account at each moment, unless an entry ran that the policy calls a violation.
  function check() external {
    if (isChanged) return;
    require(hashSetUp() == knownSetUp, "the set-up changed");
    require(
      keccak256(abi.encode(ownersOfDelay())) == keccak256(abi.encode(knownOwners)),
      "the owners are not those whom an entry made"
    );
    require(
      keccak256(abi.encode(readMoney())) == keccak256(abi.encode(knownMoney)), "money moved without an entry or a spend"
    );
    require(delay.queueNonce() == entries.length && delay.txNonce() == head, "the queue is not what it was told");
    if (head < entries.length) {
      Vector memory next = vectors[entries[head].vector];
      bytes32 hash = keccak256(abi.encodePacked(next.to, next.value, next.data, next.operation));
      require(delay.getTxHash(head) == hash, "another call than the queued one waits");
      require(delay.getTxCreatedAt(head) == entries[head].createdAt, "an entry has another age");
    }
    checkSpender();
    require(eure.balanceOf(settlement) == settledAtStart + spent, "the settlement account has other money");
    require(
      eure.balanceOf(operator) + eure.balanceOf(spender) + eure.balanceOf(stranger) == 0,
      "an outsider has the account's money"
    );
  }

  /// The spender may move exactly what the limit and the balance leave, and the limit is within the service's bounds.
  function checkSpender() private {
    Allowance memory stored = readAllowance();
    require(stored.balance <= limitMax && stored.refill <= limitMax, "the limit is above the largest");
    require(stored.refill == 0 || stored.maxRefill <= limitMax, "refills have no end");
    require(stored.period >= 1 days, "the limit's period is below the shortest");
    uint256 allowed = accrue(knownAllowance).balance;
    require(accrue(stored).balance == allowed, "the limit is not what was set and spent");
    uint256 limit = most();
    require(canSpend(limit), "the spender lost its right");
    for (uint256 i = 0; i < holds.length; i++) {
      if (block.timestamp >= holds[i].since + cooldown) return;
    }
    require(held <= limit, "what was authorised is not there any more");
  }
}
