// SPDX-License-Identifier: AGPL-3.0-only
pragma solidity 0.8.37;

import {IBouncer, IDelay, IModifier, IRoles, ISafe, IToken} from "./Interfaces.sol";
import {AgreeingSigner, HostileToken, PlainToken, RefusingSigner, RevertingSigner} from "./Contracts.sol";
import {vm} from "./Vm.sol";

/// A call that an owner may queue, and what the service's policy says of it.
struct Vector {
  address to;
  uint256 value;
  bytes data;
  uint8 operation;
  uint8 kind;
  /// The position, from 1, of a vector that is queued right behind this one; 0 for none.
  uint16 next;
}

// The order of `kinds` in `vectors.ts`.
uint8 constant VIOLATION = 0;
uint8 constant NATIVE = 1;
uint8 constant TOKEN = 2;
uint8 constant OWNER_ADD = 3;
uint8 constant OWNER_REMOVE = 4;
uint8 constant LIMIT = 5;
uint8 constant ALLOWED = 6;

address constant SENTINEL = address(1);
bytes32 constant SPENDING_ROLE = keccak256("SPENDING_ROLE");
bytes32 constant SPENDING_ALLOWANCE = keccak256("SPENDING_ALLOWANCE");

/// The account as the program deployed it, the keys around it, and how each of them signs and acts.
abstract contract World {
  ISafe internal safe;
  IDelay internal delay;
  IRoles internal roles;
  IBouncer internal bouncer;
  IToken internal eure;
  IToken internal gbpe;
  HostileToken internal hostile;
  PlainToken internal plain;
  address internal reverting;
  address internal agreeing;
  address internal refusing;
  address internal settlement;
  address internal minter;
  address internal payee;
  /// An owner that is a Safe of its own; `walletKey` signs for it.
  ISafe internal wallet;
  uint256 internal walletKey;
  uint256 internal spenderKey;
  uint256 internal operatorKey;
  uint256 internal strangerKey;
  uint256[3] internal ownerKeys;
  address internal spender;
  address internal operator;
  address internal stranger;
  address[3] internal owners;
  uint256 internal limitMax;
  uint256 internal cooldown;
  uint256 internal expiration;
  Vector[] internal vectors;
  uint16[] internal known;
  uint16[] internal violations;
  /// Calls of the account's own contracts that only these may make of each other.
  uint16[] internal inner;

  bytes32 private constant DOMAIN = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
  bytes32 private constant MODULE_TX = keccak256("ModuleTx(bytes data,bytes32 salt)");
  bytes32 private constant SAFE_MESSAGE = keccak256("SafeMessage(bytes message)");

  constructor(string memory path) {
    string memory json = vm.readFile(path);
    safe = ISafe(vm.parseJsonAddress(json, ".safe"));
    delay = IDelay(vm.parseJsonAddress(json, ".delay"));
    roles = IRoles(vm.parseJsonAddress(json, ".roles"));
    bouncer = IBouncer(vm.parseJsonAddress(json, ".bouncer"));
    eure = IToken(vm.parseJsonAddress(json, ".eure"));
    gbpe = IToken(vm.parseJsonAddress(json, ".gbpe"));
    settlement = vm.parseJsonAddress(json, ".settlement");
    minter = vm.parseJsonAddress(json, ".minter");
    payee = vm.parseJsonAddress(json, ".payee");
    wallet = ISafe(vm.parseJsonAddress(json, ".wallet"));
    walletKey = vm.parseJsonUint(json, ".walletKey");
    spenderKey = vm.parseJsonUint(json, ".spenderKey");
    operatorKey = vm.parseJsonUint(json, ".operatorKey");
    strangerKey = vm.parseJsonUint(json, ".strangerKey");
    ownerKeys[0] = vm.parseJsonUint(json, ".ownerKeys[0]");
    ownerKeys[1] = vm.parseJsonUint(json, ".ownerKeys[1]");
    ownerKeys[2] = vm.parseJsonUint(json, ".ownerKeys[2]");
    (spender, operator, stranger) = (vm.addr(spenderKey), vm.addr(operatorKey), vm.addr(strangerKey));
    for (uint256 i = 0; i < owners.length; i++) owners[i] = vm.addr(ownerKeys[i]);
    limitMax = vm.parseJsonUint(json, ".limitMax");
    cooldown = vm.parseJsonUint(json, ".cooldownSeconds");
    expiration = vm.parseJsonUint(json, ".expirationSeconds");
    vm.warp(vm.parseJsonUint(json, ".timestamp"));

    hostile = HostileToken(vm.parseJsonAddress(json, ".hostile"));
    vm.etch(address(hostile), address(new HostileToken()).code);
    plain = PlainToken(vm.parseJsonAddress(json, ".plain"));
    vm.etch(address(plain), address(new PlainToken()).code);
    refusing = vm.parseJsonAddress(json, ".refusing");
    vm.etch(refusing, address(new RefusingSigner()).code);
    reverting = address(new RevertingSigner());
    agreeing = address(new AgreeingSigner());

    Vector[] memory given = abi.decode(vm.parseJsonBytes(json, ".vectors"), (Vector[]));
    for (uint256 i = 0; i < given.length; i++) {
      vectors.push(given[i]);
      (given[i].kind == VIOLATION ? violations : known).push(uint16(i));
      if (given[i].to == address(safe) || given[i].to == address(delay) || given[i].to == address(roles)) {
        inner.push(uint16(i));
      }
    }
  }

  /// A number of its own for each name, from the argument of a handler.
  function draw(uint256 seed, string memory name, uint256 count) internal pure returns (uint256) {
    return uint256(keccak256(abi.encode(seed, name))) % count;
  }

  function enqueueData(Vector memory vector) internal pure returns (bytes memory) {
    return abi.encodeWithSelector(
      IModifier.execTransactionFromModule.selector, vector.to, vector.value, vector.data, vector.operation
    );
  }

  function spendData(uint256 amount) internal view returns (bytes memory) {
    bytes memory transfer = abi.encodeWithSelector(IToken.transfer.selector, settlement, amount);
    return abi.encodeCall(IRoles.execTransactionWithRole, (address(eure), 0, transfer, 0, SPENDING_ROLE, true));
  }

  /// The hash that a module asks a signature for, calculated apart from the module.
  function hashMessage(address module, uint256 chainId, bytes memory data, bytes32 salt)
    internal
    pure
    returns (bytes32)
  {
    bytes32 domain = keccak256(abi.encode(DOMAIN, chainId, module));
    return keccak256(
      abi.encodePacked(hex"1901", domain, keccak256(abi.encode(MODULE_TX, keccak256(data), salt)))
    );
  }

  function signPlainly(uint256 key, bytes32 hash) internal pure returns (bytes memory) {
    (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, hash);
    return abi.encodePacked(r, s, v);
  }

  /// A message with a key's signature behind it.
  function signedBy(uint256 key, address module, bytes memory data, bytes32 salt)
    internal
    view
    returns (bytes memory)
  {
    return abi.encodePacked(data, salt, signPlainly(key, hashMessage(module, block.chainid, data, salt)));
  }

  /// A message with a contract's signature before its salt.
  function signedByContract(address signer, bytes memory data, bytes memory signature, bytes32 salt)
    internal
    pure
    returns (bytes memory)
  {
    return abi.encodePacked(data, signature, salt, uint256(uint160(signer)), data.length, uint8(0));
  }

  /// What the wallet's own key signs, so that the wallet says it signed `hash`.
  function hashForWallet(bytes32 hash) internal view returns (bytes32) {
    bytes32 message = keccak256(abi.encode(SAFE_MESSAGE, keccak256(abi.encode(hash))));
    return keccak256(abi.encodePacked(hex"1901", wallet.domainSeparator(), message));
  }

  /// A signature in the form of a Safe that names a contract, which is asked before it is looked for among the owners.
  function namingContract(address signer) internal pure returns (bytes memory) {
    return abi.encodePacked(uint256(uint160(signer)), uint256(65), uint8(0), uint256(1), uint8(0));
  }

  /// A signature in the form of a Safe that says: this owner is the sender, or has approved the hash.
  function namingSender(address owner) internal pure returns (bytes memory) {
    return abi.encodePacked(uint256(uint160(owner)), uint256(0), uint8(1));
  }

  function ownersOfDelay() internal view returns (address[] memory list) {
    (list,) = delay.getModulesPaginated(SENTINEL, 60);
  }
}
