// SPDX-License-Identifier: LGPL-3.0-only
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title TestToken - an ERC-20 that stands in for a real one on a local chain
/// @dev Its code is placed at the real token's address, so no constructor runs: `initialize` does its work.
contract TestToken is ERC20("", "") {
  address public minter;
  string private _tokenSymbol;
  uint8 private _tokenDecimals;

  error AlreadyInitialized();
  error NotMinter(address sender);

  /// @notice Sets symbol, which is its name too, decimals and minter, once.
  function initialize(string calldata symbol_, uint8 decimals_, address minter_) external {
    if (minter != address(0)) revert AlreadyInitialized();
    minter = minter_;
    _tokenSymbol = symbol_;
    _tokenDecimals = decimals_;
  }

  function mint(address to, uint256 amount) external {
    if (msg.sender != minter) revert NotMinter(msg.sender);
    _mint(to, amount);
  }

  /// @notice Destroys tokens of the sender's own.
  function burn(uint256 amount) external {
    _burn(msg.sender, amount);
  }

  /// @notice Destroys tokens of an account, as the token's issuer does for an order that the account signed.
  function burnFrom(address from, uint256 amount) external {
    if (msg.sender != minter) revert NotMinter(msg.sender);
    _burn(from, amount);
  }

  function name() public view override returns (string memory) {
    return _tokenSymbol;
  }

  function symbol() public view override returns (string memory) {
    return _tokenSymbol;
  }

  function decimals() public view override returns (uint8) {
    return _tokenDecimals;
  }
}
