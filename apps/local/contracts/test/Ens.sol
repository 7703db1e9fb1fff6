// SPDX-License-Identifier: LGPL-3.0-only
pragma solidity 0.8.37;

/// A resolver that has its callers fetch the answer from an address of its choice (EIP-3668).
contract OffchainResolver {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    string[] private urls;

    constructor(string memory url) {
        urls.push(url);
    }

    function addr(bytes32 node) external view returns (address) {
        revert OffchainLookup(msg.sender, urls, abi.encode(node), this.answer.selector, "");
    }

    /// Would believe whatever the gateway says.
    function answer(bytes calldata response, bytes calldata) external pure returns (address) {
        return abi.decode(response, (address));
    }
}

/// A resolver that answers what is no address.
contract OddResolver {
    fallback() external {
        assembly {
            mstore(0, not(0))
            return(0, 5)
        }
    }
}
