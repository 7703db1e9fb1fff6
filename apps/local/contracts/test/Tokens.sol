// SPDX-License-Identifier: LGPL-3.0-only
pragma solidity 0.8.37;

/// Balances that anybody may give out; what `transfer` does is up to the token.
abstract contract OddToken {
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function _move(address to, uint256 amount) internal {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }
}

/// Answers nothing when it moved the tokens, as USDT does.
contract SilentToken is OddToken {
    function transfer(address to, uint256 amount) external {
        _move(to, amount);
    }
}

/// Moves nothing and answers false instead of reverting.
contract FalseToken is OddToken {
    function transfer(address, uint256) external pure returns (bool) {
        return false;
    }
}

/// Reverts with a reason.
contract PausedToken is OddToken {
    function transfer(address, uint256) external pure returns (bool) {
        revert("paused");
    }
}

/// Moves the tokens, and wastes millions of gas on the way.
contract WastefulToken is OddToken {
    function transfer(address to, uint256 amount) external returns (bool) {
        uint256 enough = gasleft() - 5_000_000;
        while (gasleft() > enough) {}
        _move(to, amount);
        return true;
    }
}

/// Uses up all the gas that it is given.
contract LoopingToken is OddToken {
    function transfer(address, uint256) external pure returns (bool) {
        for (uint256 i = 0;; i++) {}
        return true;
    }
}

/// Moves the tokens, but burns all gas in the block in which it is armed.
contract ArmedToken is OddToken {
    uint256 private armedIn;

    function arm() external {
        armedIn = block.number;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        while (block.number == armedIn) {}
        _move(to, amount);
        return true;
    }
}

/// Uses up all the gas that it is given when it is asked for a balance.
contract LoopingBalance {
    function mint(address, uint256) external {}

    function balanceOf(address) external pure returns (uint256) {
        for (uint256 i = 0;; i++) {}
        return 100;
    }
}

interface Transferable {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// Sends the least amount of its tokens, over and over, each time as a transfer of its own.
contract DustSender {
    function send(Transferable token, address to, uint256 times) external {
        for (uint256 sent = 0; sent < times; sent++) token.transfer(to, 1);
    }
}
