// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

/// Reverts with the word by which a wallet says that it signed: Safe 1.3.0 forwards that revert as its own.
contract RevertingSigner {
  fallback() external {
    assembly {
      mstore(0, shl(224, 0x1626ba7e))
      revert(0, 32)
    }
  }
}

/// Says of every message that it signed it, in both forms of ERC-1271. It owns nothing.
contract AgreeingSigner {
  function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
    return 0x1626ba7e;
  }

  function isValidSignature(bytes calldata, bytes calldata) external pure returns (bytes4) {
    return 0x20c13b0b;
  }
}

/// Answers of every message that it has not signed it. It is an owner.
contract RefusingSigner {
  function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
    return 0xffffffff;
  }
}

/// A token that calls whatever it is armed with while it is moved. By delegatecall it writes over its caller's first slot.
contract HostileToken {
  address private self;
  address private target;
  bytes private data;
  bool public hasRun;

  function arm(address target_, bytes calldata data_) external {
    self = address(this);
    (target, data, hasRun) = (target_, data_, false);
  }

  function transfer(address, uint256) external payable returns (bool) {
    // Under delegatecall the first slot is not this contract's.
    if (self != address(this)) {
      self = address(this);
      return true;
    }
    if (target == address(0)) return true;
    (address target_, bytes memory data_) = (target, data);
    // Once: it would call itself for ever.
    target = address(0);
    (bool ok,) = target_.call(data_);
    hasRun = ok;
    return true;
  }
}

/// A contract that takes money, that an operator allows one call of, and that keeps a power over its caller by another.
contract PlainToken {
  uint256 private noted;
  mapping(address => mapping(address => uint256)) public lent;

  function transfer(address, uint256) external payable returns (bool) {
    return true;
  }

  function approve(address spender, uint256) external payable returns (bool) {
    noted = uint160(spender);
    return true;
  }

  function lend(address to, uint256 amount) external payable {
    lent[msg.sender][to] = amount;
  }
}
