// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";
import {InputLimits} from "./InputLimits.sol";

/// @title The account's records of actions: CID, name, description. A record permits nothing: groups do.
abstract contract ActionWrites is AccountAccess, InputLimits, IAccountConfigEvents {
    using EnumerableSet for EnumerableSet.UintSet;

    uint256 private constant NAME = 1;
    uint256 private constant DESCRIPTION = 2;

    /// @notice Records an action without permitting it anywhere. Master only.
    function addAction(
        uint256 apiKeyHash,
        string calldata cid,
        string calldata name,
        string calldata description
    ) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        _requireCid(cid);
        _requireTexts(name, description);
        uint256 cidHash = uint256(keccak256(bytes(cid)));
        if (!account.cidHashes.add(cidHash)) revert ActionAlreadyExists(accountHash, cidHash);
        account.actions[cidHash] = Storage.Action(cid, name, description);
        emit ActionSet(accountHash, cidHash, cid, name, description);
    }

    /// @notice Replaces what `fields` names: the sum of 1 name, 2 description. Master only.
    function updateActionMetadata(
        uint256 apiKeyHash,
        uint256 cidHash,
        uint256 fields,
        string calldata name,
        string calldata description
    ) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        if (!account.cidHashes.contains(cidHash)) revert ActionDoesNotExist(accountHash, cidHash);
        _requireTexts(name, description);
        Storage.Action storage action = account.actions[cidHash];
        if (fields & NAME != 0) action.name = name;
        if (fields & DESCRIPTION != 0) action.description = description;
        emit ActionSet(accountHash, cidHash, action.cid, action.name, action.description);
    }

    /// @notice Deletes an action's record and takes it out of every group. Master only.
    /// @dev Whoever deletes an action means that it shall not run any more. One look at each group; an account
    /// with more groups than a block has gas for takes it out of them one by one.
    function deleteAction(uint256 apiKeyHash, uint256 cidHash) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        if (!account.cidHashes.remove(cidHash)) revert ActionDoesNotExist(accountHash, cidHash);
        delete account.actions[cidHash];
        uint256 count = account.groupIds.length();
        for (uint256 i; i < count; ++i) {
            uint256 groupId = account.groupIds.at(i);
            if (account.groups[groupId].cidHashes.remove(cidHash)) {
                emit ActionInGroupSet(accountHash, groupId, cidHash, false);
            }
        }
        emit ActionRemoved(accountHash, cidHash);
    }
}
