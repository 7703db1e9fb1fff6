// SPDX-License-Identifier: LGPL-3.0-only
pragma solidity ^0.8.24;

/// @dev The root of all names, and the parent of the names of addresses (EIP-137, EIP-181).
bytes32 constant ROOT = bytes32(0);
bytes32 constant ADDR_REVERSE = 0x91d1777781884d03a6757a803996e38de2a42967fb37eeaca72729271025a9e2;

/// @title EnsRegistry - who owns a name and which resolver answers for it (EIP-137)
/// @dev Its code is placed at the registry's address on the public chain; the root's owner is seeded.
contract EnsRegistry {
  struct Record {
    address owner;
    address resolver;
    uint64 ttl;
  }

  mapping(bytes32 node => Record) private records;
  mapping(address owner => mapping(address operator => bool)) public isApprovedForAll;

  event Transfer(bytes32 indexed node, address owner);
  event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner);
  event NewResolver(bytes32 indexed node, address resolver);
  event NewTTL(bytes32 indexed node, uint64 ttl);
  event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

  error NotOwner(bytes32 node, address sender);

  modifier onlyOwner(bytes32 node) {
    address owner_ = records[node].owner;
    if (owner_ != msg.sender && !isApprovedForAll[owner_][msg.sender]) revert NotOwner(node, msg.sender);
    _;
  }

  function setOwner(bytes32 node, address owner_) external onlyOwner(node) {
    records[node].owner = owner_;
    emit Transfer(node, owner_);
  }

  function setSubnodeOwner(bytes32 node, bytes32 label, address owner_) external onlyOwner(node) returns (bytes32 subnode) {
    subnode = keccak256(abi.encodePacked(node, label));
    records[subnode].owner = owner_;
    emit NewOwner(node, label, owner_);
  }

  function setResolver(bytes32 node, address resolver_) external onlyOwner(node) {
    records[node].resolver = resolver_;
    emit NewResolver(node, resolver_);
  }

  function setTTL(bytes32 node, uint64 ttl_) external onlyOwner(node) {
    records[node].ttl = ttl_;
    emit NewTTL(node, ttl_);
  }

  function setApprovalForAll(address operator, bool approved) external {
    isApprovedForAll[msg.sender][operator] = approved;
    emit ApprovalForAll(msg.sender, operator, approved);
  }

  function owner(bytes32 node) external view returns (address) {
    return records[node].owner;
  }

  function resolver(bytes32 node) external view returns (address) {
    return records[node].resolver;
  }

  function ttl(bytes32 node) external view returns (uint64) {
    return records[node].ttl;
  }

  function recordExists(bytes32 node) external view returns (bool) {
    return records[node].owner != address(0);
  }
}

/// @dev What is used of the public resolver, whose code is ENS's own.
interface PublicResolver {
  function setAddr(bytes32 node, address target) external;
  function setName(bytes32 node, string calldata name) external;
  function addr(bytes32 node) external view returns (address);
  function name(bytes32 node) external view returns (string memory);
}

/// @dev The name of an address below `addr.reverse`: its hex digits in lower case (EIP-181).
function hexLabel(bytes memory target) pure returns (bytes memory label) {
  bytes16 digits = "0123456789abcdef";
  label = new bytes(target.length * 2);
  for (uint256 at = 0; at < target.length; at++) {
    label[at * 2] = digits[uint8(target[at]) >> 4];
    label[at * 2 + 1] = digits[uint8(target[at]) & 15];
  }
}

/// @title EnsReverseRegistrar - lets an address name itself, and the registrar name it on registration (EIP-181)
contract EnsReverseRegistrar {
  EnsRegistry public immutable ens;
  PublicResolver public immutable defaultResolver;
  address public immutable controller;

  error NotAuthorised(address target, address sender);

  constructor(EnsRegistry ens_, PublicResolver resolver_, address controller_) {
    ens = ens_;
    defaultResolver = resolver_;
    controller = controller_;
  }

  function setName(string calldata name) external returns (bytes32) {
    return setNameForAddr(msg.sender, name);
  }

  /// @notice The primary name of `target`, which then owns the node of its reverse record.
  function setNameForAddr(address target, string calldata name) public returns (bytes32 reverseNode) {
    if (target != msg.sender && controller != msg.sender) revert NotAuthorised(target, msg.sender);
    bytes32 label = keccak256(hexLabel(abi.encodePacked(target)));
    reverseNode = ens.setSubnodeOwner(ADDR_REVERSE, label, address(this));
    ens.setResolver(reverseNode, address(defaultResolver));
    defaultResolver.setName(reverseNode, name);
    ens.setSubnodeOwner(ADDR_REVERSE, label, target);
  }

  function node(address target) external pure returns (bytes32) {
    return keccak256(abi.encodePacked(ADDR_REVERSE, keccak256(hexLabel(abi.encodePacked(target)))));
  }
}

/// @title EnsRegistrar - owns the root of a local chain's names and gives any of them away
contract EnsRegistrar {
  EnsRegistry public immutable ens;
  PublicResolver public immutable resolver;
  EnsReverseRegistrar public immutable reverseRegistrar;
  address public immutable administrator;
  string[] private registered;
  mapping(bytes32 node => bool) private isRegistered;

  error NotAdministrator(address sender);

  constructor(EnsRegistry ens_, PublicResolver resolver_, address administrator_) {
    ens = ens_;
    resolver = resolver_;
    administrator = administrator_;
    reverseRegistrar = new EnsReverseRegistrar(ens_, resolver_, address(this));
  }

  /// @notice Takes `reverse` and `addr.reverse` for the reverse registrar; needs to own the root.
  function setUp() external {
    bytes32 reverse = ens.setSubnodeOwner(ROOT, keccak256("reverse"), address(this));
    ens.setSubnodeOwner(reverse, keccak256("addr"), address(reverseRegistrar));
  }

  /// @notice Gives a name to `owner`, to stand for `target` both ways. Names above it keep their owners.
  /// @param labels the name's parts, the top-level one first
  function register(string calldata name, string[] calldata labels, address owner, address target) external {
    if (msg.sender != administrator) revert NotAdministrator(msg.sender);
    address[] memory owners = new address[](labels.length);
    bytes32 node = ROOT;
    for (uint256 at = 0; at < labels.length; at++) {
      bytes32 label = keccak256(bytes(labels[at]));
      owners[at] = ens.owner(keccak256(abi.encodePacked(node, label)));
      node = ens.setSubnodeOwner(node, label, address(this));
    }
    ens.setResolver(node, address(resolver));
    resolver.setAddr(node, target);
    reverseRegistrar.setNameForAddr(target, name);
    owners[labels.length - 1] = owner;
    handOver(labels, owners);
    if (!isRegistered[node]) registered.push(name);
    isRegistered[node] = true;
  }

  /// @notice Every name that was registered here, oldest first.
  function names() external view returns (string[] memory) {
    return registered;
  }

  function handOver(string[] calldata labels, address[] memory owners) private {
    bytes32[] memory parents = new bytes32[](labels.length);
    for (uint256 at = 1; at < labels.length; at++) {
      parents[at] = keccak256(abi.encodePacked(parents[at - 1], keccak256(bytes(labels[at - 1]))));
    }
    // From the end: who gives a parent away no longer decides about its children.
    for (uint256 at = labels.length; at > 0; at--) {
      if (owners[at - 1] != address(0)) ens.setSubnodeOwner(parents[at - 1], keccak256(bytes(labels[at - 1])), owners[at - 1]);
    }
  }
}

/// @title EnsUniversalResolver - finds a name's resolver and asks it, and the name of an address
/// @dev Names with a resolver of their own; wildcards (ENSIP-10) and other coins than Ethereum's are left out.
contract EnsUniversalResolver {
  EnsRegistry private constant ens = EnsRegistry(0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e);
  uint256 private constant COIN_TYPE_ETH = 60;

  error ResolverNotFound(bytes name);
  error ResolverError(bytes errorData);
  error ReverseAddressMismatch(string primary, bytes primaryAddress);

  function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata)
    external
    view
    returns (bytes memory, address)
  {
    address resolver = ens.resolver(hashName(name, 0));
    if (resolver.code.length == 0) revert ResolverNotFound(name);
    (bool isAnswer, bytes memory result) = resolver.staticcall(data);
    if (isAnswer) return (result, resolver);
    // A resolver that sends its caller to a gateway is passed on (EIP-3668).
    if (result.length >= 4 && bytes4(result) == bytes4(keccak256("OffchainLookup(address,string[],bytes,bytes4,bytes)"))) {
      assembly {
        revert(add(result, 32), mload(result))
      }
    }
    revert ResolverError(result);
  }

  /// @notice The name that an address gave itself, if that name stands for the address.
  function reverseWithGateways(bytes calldata target, uint256 coinType, string[] calldata)
    external
    view
    returns (string memory name, address resolver, address reverseResolver)
  {
    bytes32 reverseNode = keccak256(abi.encodePacked(ADDR_REVERSE, keccak256(hexLabel(target))));
    reverseResolver = ens.resolver(reverseNode);
    if (coinType != COIN_TYPE_ETH || reverseResolver.code.length == 0) revert ResolverNotFound(target);
    name = PublicResolver(reverseResolver).name(reverseNode);
    bytes32 node = hashText(bytes(name));
    resolver = ens.resolver(node);
    address primary = resolver.code.length == 0 ? address(0) : PublicResolver(resolver).addr(node);
    if (target.length != 20 || primary != address(bytes20(target))) {
      revert ReverseAddressMismatch(name, abi.encodePacked(primary));
    }
  }

  /// @notice The hash of a DNS-encoded name (EIP-137).
  function hashName(bytes calldata name, uint256 at) public pure returns (bytes32) {
    uint256 length = uint8(name[at]);
    if (length == 0) return ROOT;
    bytes32 label = keccak256(name[at + 1:at + 1 + length]);
    return keccak256(abi.encodePacked(hashName(name, at + 1 + length), label));
  }

  /// @notice The hash of a name as text (EIP-137), read from its end.
  function hashText(bytes memory name) public pure returns (bytes32 node) {
    uint256 end = name.length;
    for (uint256 at = name.length; at > 0; at--) {
      if (at > 1 && name[at - 2] != ".") continue;
      bytes memory label = new bytes(end - (at - 1));
      for (uint256 index = 0; index < label.length; index++) label[index] = name[at - 1 + index];
      node = keccak256(abi.encodePacked(node, keccak256(label)));
      if (at > 1) end = at - 2;
    }
  }
}
