// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token like any other, for the demo's transfers: its deployer has all of it.
contract DemoToken is ERC20 {
    constructor() ERC20("Demo", "DEMO") {
        _mint(msg.sender, 1_000_000 * 10 ** decimals());
    }
}
