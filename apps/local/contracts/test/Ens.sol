// SPDX-License-Identifier: LGPL-3.0-only
pragma solidity 0.8.37;

/// What the universal resolver of ENS does for names on chain: finds the resolver of a name and asks it.
contract TestUniversalResolver {
    error ResolverNotFound(bytes name);
    error ResolverError(bytes errorData);

    mapping(bytes32 node => address) public resolvers;

    function setResolver(bytes32 node, address resolver) external {
        resolvers[node] = resolver;
    }

    function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata)
        external
        view
        returns (bytes memory, address)
    {
        address resolver = resolvers[hashName(name, 0)];
        if (resolver.code.length == 0) revert ResolverNotFound(name);
        (bool isAnswer, bytes memory result) = resolver.staticcall(data);
        if (isAnswer) return (result, resolver);
        // A resolver that sends its caller to a gateway is passed on (EIP-3668).
        if (result.length >= 4 && bytes4(result) == OffchainResolver.OffchainLookup.selector) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        revert ResolverError(result);
    }

    /// The hash of a DNS-encoded name (EIP-137).
    function hashName(bytes calldata name, uint256 at) public pure returns (bytes32) {
        uint256 length = uint8(name[at]);
        if (length == 0) return bytes32(0);
        bytes32 label = keccak256(name[at + 1:at + 1 + length]);
        return keccak256(abi.encodePacked(hashName(name, at + 1 + length), label));
    }
}

/// A resolver on chain.
contract TestResolver {
    mapping(bytes32 node => address) public addr;

    function setAddr(bytes32 node, address owner) external {
        addr[node] = owner;
    }
}

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
