// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

/// The functions of forge itself that these tests use.
interface Vm {
  function addr(uint256 privateKey) external pure returns (address);
  function deal(address to, uint256 balance) external;
  function etch(address to, bytes calldata code) external;
  function load(address from, bytes32 slot) external view returns (bytes32);
  function loadAllocs(string calldata path) external;
  function parseJsonAddress(string calldata json, string calldata key) external pure returns (address);
  function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
  function parseJsonUint(string calldata json, string calldata key) external pure returns (uint256);
  function prank(address sender) external;
  function readFile(string calldata path) external view returns (string memory);
  function envString(string calldata name) external view returns (string memory);
  function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
  function warp(uint256 timestamp) external;
  function writeLine(string calldata path, string calldata line) external;
  function toString(uint256 value) external pure returns (string memory);
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
