// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {GroupInput, UsageApiKey} from "./AccountConfigTypes.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";
import {InputLimits} from "./InputLimits.sol";

/// @title Groups: what binds wallets, actions and keys.
/// @dev 0 in a group stands for every wallet, or every action, later ones included. A usage key may put it there
/// only where its own array says 0 too: it must not pass on more than it was given.
abstract contract GroupWrites is AccountAccess, InputLimits, IAccountConfigEvents {
    using EnumerableSet for EnumerableSet.Bytes32Set;
    using EnumerableSet for EnumerableSet.UintSet;

    uint256 private constant NAME = 1;
    uint256 private constant DESCRIPTION = 2;
    uint256 private constant PKP_IDS = 4;
    uint256 private constant CID_HASHES = 8;

    /// @notice Creates a group. A usage key needs canCreateGroups; for wallets in it addPkpToGroups with 0, for
    /// actions manageIpfsIdsInGroups with 0: it must not widen itself through a group of its own making.
    /// @return groupId counted from 1 in each account, never reused
    function addGroup(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        bytes32[] calldata pkpIds,
        uint256[] calldata cidHashes
    ) external returns (uint256 groupId) {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (usage != 0) {
            UsageApiKey storage key = _permissions(account, usage);
            if (!key.canCreateGroups) revert NotAllowedToCreateGroups(usage);
            if (pkpIds.length > 0 && !_reaches(key.addPkpToGroups, 0)) revert NotAllowedToAddPkps(usage, 0);
            if (cidHashes.length > 0 && !_reaches(key.manageIpfsIdsInGroups, 0)) {
                revert NotAllowedToManageIpfsIds(usage, 0);
            }
        }
        _requireTexts(name, description);
        groupId = account.nextGroupId++;
        account.groupIds.add(groupId);
        Storage.Group storage group = account.groups[groupId];
        group.name = name;
        group.description = description;
        _fillPkpIds(accountHash, account, group, pkpIds);
        _fillCidHashes(group, cidHashes);
        _emitGroupSet(accountHash, groupId, group);
    }

    /// @notice Replaces what `fields` names: the sum of 1 name, 2 description, 4 pkpIds, 8 cidHashes. Master only.
    /// @dev The rest stays as it is on the chain, so that a change made at the same time is not undone.
    function updateGroup(uint256 apiKeyHash, uint256 groupId, uint256 fields, GroupInput calldata input) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        Storage.Group storage group = _group(accountHash, account, groupId);
        _requireTexts(input.name, input.description);
        if (fields & NAME != 0) group.name = input.name;
        if (fields & DESCRIPTION != 0) group.description = input.description;
        if (fields & PKP_IDS != 0) {
            group.pkpIds.clear();
            _fillPkpIds(accountHash, account, group, input.pkpIds);
        }
        if (fields & CID_HASHES != 0) {
            group.cidHashes.clear();
            _fillCidHashes(group, input.cidHashes);
        }
        _emitGroupSet(accountHash, groupId, group);
    }

    /// @notice Deletes a group. Keys that list it keep its id, which is worth nothing: no id is used again.
    /// A usage key needs canDeleteGroups.
    function removeGroup(uint256 apiKeyHash, uint256 groupId) external {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (usage != 0 && !_permissions(account, usage).canDeleteGroups) revert NotAllowedToDeleteGroups(usage);
        if (!account.groupIds.remove(groupId)) revert GroupDoesNotExist(accountHash, groupId);
        emit GroupRemoved(accountHash, groupId);
    }

    /// @notice Lets the group's actions use a wallet. A usage key needs the group in addPkpToGroups.
    function addPkpToGroup(uint256 apiKeyHash, uint256 groupId, bytes32 pkpId) external {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (usage != 0) {
            uint256[] storage reach = _permissions(account, usage).addPkpToGroups;
            if (!_reaches(reach, pkpId == 0 ? 0 : groupId)) revert NotAllowedToAddPkps(usage, groupId);
        }
        Storage.Group storage group = _group(accountHash, account, groupId);
        _requireWallet(accountHash, account, pkpId);
        group.pkpIds.add(pkpId);
        if (group.pkpIds.length() > GROUP_IDS_MAX) revert TooManyIds("pkpIds", group.pkpIds.length(), GROUP_IDS_MAX);
        emit PkpInGroupSet(accountHash, groupId, pkpId, true);
    }

    /// @notice Takes a wallet out of a group. A usage key needs the group in removePkpFromGroups.
    function removePkpFromGroup(uint256 apiKeyHash, uint256 groupId, bytes32 pkpId) external {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (usage != 0 && !_reaches(_permissions(account, usage).removePkpFromGroups, groupId)) {
            revert NotAllowedToRemovePkps(usage, groupId);
        }
        _group(accountHash, account, groupId).pkpIds.remove(pkpId);
        emit PkpInGroupSet(accountHash, groupId, pkpId, false);
    }

    /// @notice Permits an action in a group, and records it where the account has not yet. A usage key needs the
    /// group in manageIpfsIdsInGroups; a record that is there it leaves alone unless that array says 0, for other
    /// groups show the same record.
    /// @param name empty: what is recorded stays; so for `description`
    function addActionToGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        string calldata cid,
        string calldata name,
        string calldata description
    ) external {
        (uint256 accountHash, bool mayRename) = _authorizeAction(apiKeyHash, groupId);
        _requireCid(cid);
        _requireTexts(name, description);
        _record(accountHash, mayRename, cid, name, description);
        _permitAction(accountHash, groupId, uint256(keccak256(bytes(cid))));
    }

    /// @notice Permits an action in a group no longer. A usage key needs the group in manageIpfsIdsInGroups.
    function removeActionFromGroup(uint256 apiKeyHash, uint256 groupId, uint256 cidHash) external {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (usage != 0 && !_reaches(_permissions(account, usage).manageIpfsIdsInGroups, groupId)) {
            revert NotAllowedToManageIpfsIds(usage, groupId);
        }
        _group(accountHash, account, groupId).cidHashes.remove(cidHash);
        emit ActionInGroupSet(accountHash, groupId, cidHash, false);
    }

    function _authorizeAction(uint256 apiKeyHash, uint256 groupId)
        private
        view
        returns (uint256 accountHash, bool mayRename)
    {
        Storage.Account storage account;
        uint256 usage;
        (accountHash, account, usage) = _authorize(apiKeyHash);
        if (usage == 0) return (accountHash, true);
        uint256[] storage reach = _permissions(account, usage).manageIpfsIdsInGroups;
        if (!_reaches(reach, groupId)) revert NotAllowedToManageIpfsIds(usage, groupId);
        mayRename = _reaches(reach, 0);
    }

    function _record(
        uint256 accountHash,
        bool mayRename,
        string calldata cid,
        string calldata name,
        string calldata description
    ) private {
        uint256 cidHash = uint256(keccak256(bytes(cid)));
        Storage.Account storage account = Storage.state().accounts[accountHash];
        Storage.Action storage action = account.actions[cidHash];
        bool isNew = account.cidHashes.add(cidHash);
        if (!isNew && (!mayRename || bytes(name).length + bytes(description).length == 0)) return;
        if (isNew) action.cid = cid;
        if (isNew || bytes(name).length > 0) action.name = name;
        if (isNew || bytes(description).length > 0) action.description = description;
        emit ActionSet(accountHash, cidHash, cid, action.name, action.description);
    }

    function _permitAction(uint256 accountHash, uint256 groupId, uint256 cidHash) private {
        Storage.Account storage account = Storage.state().accounts[accountHash];
        EnumerableSet.UintSet storage permitted = _group(accountHash, account, groupId).cidHashes;
        permitted.add(cidHash);
        if (permitted.length() > GROUP_IDS_MAX) revert TooManyIds("cidHashes", permitted.length(), GROUP_IDS_MAX);
        emit ActionInGroupSet(accountHash, groupId, cidHash, true);
    }

    function _group(uint256 accountHash, Storage.Account storage account, uint256 groupId)
        private
        view
        returns (Storage.Group storage)
    {
        if (!account.groupIds.contains(groupId)) revert GroupDoesNotExist(accountHash, groupId);
        return account.groups[groupId];
    }

    function _fillPkpIds(
        uint256 accountHash,
        Storage.Account storage account,
        Storage.Group storage group,
        bytes32[] calldata pkpIds
    ) private {
        _requireIds("pkpIds", pkpIds.length);
        for (uint256 i; i < pkpIds.length; ++i) {
            _requireWallet(accountHash, account, pkpIds[i]);
            group.pkpIds.add(pkpIds[i]);
        }
    }

    function _fillCidHashes(Storage.Group storage group, uint256[] calldata cidHashes) private {
        _requireIds("cidHashes", cidHashes.length);
        for (uint256 i; i < cidHashes.length; ++i) {
            group.cidHashes.add(cidHashes[i]);
        }
    }

    /// @dev A wallet registered later by that address would slip into the group; "all of them" is said with 0.
    function _requireWallet(uint256 accountHash, Storage.Account storage account, bytes32 pkpId) private view {
        if (pkpId != 0 && !account.pkpIds.contains(pkpId)) revert WalletDoesNotExist(accountHash, pkpId);
    }

    /// @dev Read back rather than passed on: an id given twice is stored once, and the event says what is stored.
    function _emitGroupSet(uint256 accountHash, uint256 groupId, Storage.Group storage group) private {
        emit GroupSet(
            accountHash,
            groupId,
            group.name,
            group.description,
            group.pkpIds.values(),
            group.cidHashes.values()
        );
    }
}
