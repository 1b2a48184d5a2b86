// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Emits Swap events like a Uniswap V2 pair: the first and last arguments are indexed.
contract Pair {
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );

    function swap(uint256 amount0In, uint256 amount1Out, address to) external {
        emit Swap(msg.sender, amount0In, 0, 0, amount1Out, to);
    }
}
