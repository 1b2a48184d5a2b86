// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155URIStorage} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155URIStorage.sol";

/// @title OpenZeppelin's ERC-1155 with URIs that anyone can set. The second argument of its URI event is indexed.
contract Items is ERC1155URIStorage {
    constructor() ERC1155("") {}

    function setURI(uint256 id, string calldata value) external {
        _setURI(id, value);
    }
}
