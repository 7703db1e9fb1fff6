// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

import {Handler} from "./Handler.sol";
import {vm} from "./Vm.sol";

/// An account as the program deployed it, in the hands of its owners, its spender, the operator, strangers and time.
contract AccountTest {
  Handler private handler;

  function setUp() external {
    vm.loadAllocs(vm.envString("FORGE_ALLOCS"));
    handler = new Handler(vm.envString("FORGE_WORLD"));
  }

  function targetContracts() external view returns (address[] memory targets) {
    targets = new address[](1);
    targets[0] = address(handler);
  }

  struct FuzzSelector {
    address addr;
    bytes4[] selectors;
  }

  /// A name that stands twice is called twice as often.
  function targetSelectors() external view returns (FuzzSelector[] memory targets) {
    bytes4[16] memory names = [
      handler.ownerQueues.selector,
      handler.anyoneDispatches.selector,
      handler.anyoneDispatches.selector,
      handler.spenderCaptures.selector,
      handler.ownerQueues.selector,
      handler.anyoneDispatches.selector,
      handler.anyoneSkips.selector,
      handler.programmeAuthorises.selector,
      handler.spenderCaptures.selector,
      handler.spenderSpends.selector,
      handler.timePasses.selector,
      handler.someonePaysIn.selector,
      handler.operatorTries.selector,
      handler.strangerTries.selector,
      handler.spenderTries.selector,
      handler.strangerForges.selector
    ];
    targets = new FuzzSelector[](1);
    targets[0] = FuzzSelector(address(handler), new bytes4[](names.length));
    for (uint256 i = 0; i < names.length; i++) targets[0].selectors[i] = names[i];
  }

  function invariant_account() external {
    handler.check();
  }

  /// One line for each run: what was reached. A test that reaches nothing holds always.
  function afterInvariant() external {
    uint256[16] memory counts = [
      handler.queued(),
      handler.queuedViolations(),
      handler.refusedOwners(),
      handler.executed(0),
      handler.executed(1),
      handler.executed(2),
      handler.executed(3),
      handler.executed(4),
      handler.executed(5),
      handler.executed(6),
      handler.skipped(),
      handler.reentered(),
      handler.spends(),
      handler.captured(),
      handler.refusedCalls(),
      handler.refusedForgeries()
    ];
    string memory line = vm.toString(counts[0]);
    for (uint256 i = 1; i < counts.length; i++) line = string.concat(line, " ", vm.toString(counts[i]));
    vm.writeLine(vm.envString("FORGE_COUNTS"), line);
  }
}
