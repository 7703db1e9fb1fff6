// SPDX-License-Identifier: LGPL-3.0-only
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// A contract wallet (ERC-1271) of one key, which may be revoked.
contract TestWallet {
    address public signer;

    constructor(address signer_) {
        signer = signer_;
    }

    function revoke() external {
        signer = address(0);
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address recovered,,) = ECDSA.tryRecover(hash, signature);
        return signer != address(0) && recovered == signer ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Deploys wallets at addresses known before (CREATE2), for signatures of wallets that are not there yet (ERC-6492).
contract TestWalletFactory {
    function create(address signer, bytes32 salt) external returns (TestWallet) {
        return new TestWallet{salt: salt}(signer);
    }
}

/// A wallet that takes anything for its signature, and wastes millions of gas on it.
contract WastefulWallet {
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        uint256 enough = gasleft() - 5_000_000;
        while (gasleft() > enough) {}
        return this.isValidSignature.selector;
    }
}

/// A wallet that signs anything where nobody pays for the gas, and burns all of it in a transaction.
contract PricedWallet {
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        while (tx.gasprice != 0) {}
        return this.isValidSignature.selector;
    }
}

/// A wallet that signs anything, but burns all gas in the block in which it is armed.
contract ArmedWallet {
    uint256 private armedIn;

    function arm() external {
        armedIn = block.number;
    }

    function disarm() external {
        armedIn = 0;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        while (block.number == armedIn) {}
        return this.isValidSignature.selector;
    }
}

/// A wallet that signs anything, but burns all gas in every second block: an estimate rests on another block than the transaction.
contract AlternatingWallet {
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        while (block.number % 2 == 0) {}
        return this.isValidSignature.selector;
    }
}

/// A wallet whose answer never comes.
contract LoopingWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        for (uint256 i = 0;; i++) {}
        return bytes4(0);
    }
}

/// A wallet that answers a megabyte.
contract FloodingWallet {
    fallback() external {
        assembly {
            return(0, 1048576)
        }
    }
}

/// A wallet that takes money, and wastes a million gas each time.
contract WastefulReceiver {
    receive() external payable {
        uint256 enough = gasleft() - 1_000_000;
        while (gasleft() > enough) {}
    }
}
