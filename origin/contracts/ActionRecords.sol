// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {PackedBytes} from "./PackedBytes.sol";

/// @title Adds, reads and removes the records of an account's actions.
library ActionRecords {
    /// @dev Adds the record if the account does not have it. The caller checks the lengths: they are not checked here.
    function store(
        Storage.Account storage account,
        uint256 cidHash,
        string memory cid,
        string memory name,
        string memory description
    ) internal {
        Storage.Action storage action = account.actions[cidHash];
        bytes memory data = bytes.concat(bytes(cid), bytes(name), bytes(description));
        bytes32 start = PackedBytes.store(action.rest, Storage.ACTION_START, data, _bytesOf(action));
        if (action.position == 0) {
            account.cidHashes[account.actionCount] = cidHash;
            action.position = ++account.actionCount;
        }
        action.cidLength = uint8(bytes(cid).length);
        action.nameLength = uint16(bytes(name).length);
        action.descriptionLength = uint16(bytes(description).length);
        action.start = bytes23(start);
    }

    function load(Storage.Account storage account, uint256 cidHash)
        internal
        view
        returns (string memory cid, string memory name, string memory description)
    {
        Storage.Action storage action = account.actions[cidHash];
        bytes memory data = PackedBytes.load(action.rest, Storage.ACTION_START, action.start, _bytesOf(action));
        (uint256 cidLength, uint256 nameLength) = (action.cidLength, action.nameLength);
        cid = PackedBytes.slice(data, 0, cidLength);
        name = PackedBytes.slice(data, cidLength, nameLength);
        description = PackedBytes.slice(data, cidLength + nameLength, action.descriptionLength);
    }

    function has(Storage.Account storage account, uint256 cidHash) internal view returns (bool) {
        return account.actions[cidHash].position != 0;
    }

    /// @return whether the account had the record
    function remove(Storage.Account storage account, uint256 cidHash) internal returns (bool) {
        Storage.Action storage action = account.actions[cidHash];
        uint32 position = action.position;
        if (position == 0) return false;
        uint32 last = --account.actionCount;
        uint256 moved = account.cidHashes[last];
        account.cidHashes[position - 1] = moved;
        account.actions[moved].position = position;
        delete account.cidHashes[last];
        PackedBytes.store(action.rest, Storage.ACTION_START, "", _bytesOf(action));
        action.position = 0;
        action.cidLength = 0;
        action.nameLength = 0;
        action.descriptionLength = 0;
        action.start = 0;
        return true;
    }

    function _bytesOf(Storage.Action storage action) private view returns (uint256) {
        return uint256(action.cidLength) + action.nameLength + action.descriptionLength;
    }
}
