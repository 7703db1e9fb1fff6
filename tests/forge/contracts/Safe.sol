// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

import {GnosisSafe} from "@gnosis.pm/safe-contracts/contracts/GnosisSafe.sol";

/// The package's source, compiled here so that a mutant can change it. Without one the package's own bytecode is played.
contract CompiledSafe is GnosisSafe {}
