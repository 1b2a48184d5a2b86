// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title OpenZeppelin's ERC-20. The deployer holds the whole supply.
contract Token is ERC20 {
    constructor() ERC20("Token", "TKN") {
        _mint(msg.sender, type(uint256).max);
    }
}
