// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {ActionRecords} from "./ActionRecords.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";
import {IdSet} from "./IdSet.sol";
import {InputLimits} from "./InputLimits.sol";

/// @title The account's records of actions: CID, name, description. A record permits nothing: groups do.
abstract contract ActionWrites is AccountAccess, InputLimits, IAccountConfigEvents {
    using ActionRecords for Storage.Account;
    using IdSet for IdSet.Set;

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
        if (account.has(cidHash)) revert ActionAlreadyExists(accountHash, cidHash);
        account.store(cidHash, cid, name, description);
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
        if (!account.has(cidHash)) revert ActionDoesNotExist(accountHash, cidHash);
        _requireTexts(name, description);
        (string memory cid, string memory newName, string memory newDescription) = account.load(cidHash);
        if (fields & NAME != 0) newName = name;
        if (fields & DESCRIPTION != 0) newDescription = description;
        account.store(cidHash, cid, newName, newDescription);
        emit ActionSet(accountHash, cidHash, cid, newName, newDescription);
    }

    /// @notice Deletes an action's record and takes it out of every group. Master only.
    /// @dev Whoever deletes an action means that it shall not run any more. One look at each group; an account
    /// with more groups than a block has gas for takes it out of them one by one.
    function deleteAction(uint256 apiKeyHash, uint256 cidHash) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        if (!account.remove(cidHash)) revert ActionDoesNotExist(accountHash, cidHash);
        for (uint256 id = _groupAfter(account, 0); id != 0; id = _groupAfter(account, id)) {
            Storage.Group storage group = account.groups[id];
            uint256 count = group.cidCount;
            if (count == 0) continue;
            uint256 left = group.cidHashes.remove(count, bytes32(cidHash));
            if (left == count) continue;
            group.cidCount = uint16(left);
            emit ActionInGroupSet(accountHash, id, cidHash, false);
        }
        emit ActionRemoved(accountHash, cidHash);
    }
}
