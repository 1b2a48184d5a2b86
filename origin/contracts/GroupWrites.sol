// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {ActionRecords} from "./ActionRecords.sol";
import {GroupInput} from "./AccountConfigTypes.sol";
import {GroupRecords} from "./GroupRecords.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";
import {IdSet} from "./IdSet.sol";
import {InputLimits} from "./InputLimits.sol";
import {UsageApiKeyRecords} from "./UsageApiKeyRecords.sol";

/// @title Groups: what binds wallets, actions and keys.
/// @dev 0 in a group stands for every wallet, or every action, later ones included. A usage key may put it there
/// only where its own array says 0 too: it must not pass on more than it was given.
abstract contract GroupWrites is AccountAccess, InputLimits, IAccountConfigEvents {
    using ActionRecords for Storage.Account;
    using GroupRecords for Storage.Group;
    using IdSet for IdSet.Set;

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
            if (!_may(account, usage, UsageApiKeyRecords.CAN_CREATE_GROUPS)) revert NotAllowedToCreateGroups(usage);
            if (pkpIds.length > 0 && !_mayIn(account, usage, UsageApiKeyRecords.ADD_PKP_TO_GROUPS, 0)) {
                revert NotAllowedToAddPkps(usage, 0);
            }
            if (cidHashes.length > 0 && !_mayIn(account, usage, UsageApiKeyRecords.MANAGE_IPFS_IDS_IN_GROUPS, 0)) {
                revert NotAllowedToManageIpfsIds(usage, 0);
            }
        }
        _requireTexts(name, description);
        groupId = account.nextGroupId++;
        Storage.Group storage group = account.groups[groupId];
        group.storeTexts(name, description);
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
        if (fields & (NAME | DESCRIPTION) != 0) {
            (string memory name, string memory description) = group.loadTexts();
            if (fields & NAME != 0) name = input.name;
            if (fields & DESCRIPTION != 0) description = input.description;
            group.storeTexts(name, description);
        }
        if (fields & PKP_IDS != 0) {
            group.pkpIds.clear(group.pkpCount);
            group.pkpCount = 0;
            _fillPkpIds(accountHash, account, group, input.pkpIds);
        }
        if (fields & CID_HASHES != 0) {
            group.cidHashes.clear(group.cidCount);
            group.cidCount = 0;
            _fillCidHashes(group, input.cidHashes);
        }
        _emitGroupSet(accountHash, groupId, group);
    }

    /// @notice Deletes a group. Keys that list it keep its id, which is worth nothing: no id is used again.
    /// A usage key needs canDeleteGroups.
    function removeGroup(uint256 apiKeyHash, uint256 groupId) external {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (usage != 0 && !_may(account, usage, UsageApiKeyRecords.CAN_DELETE_GROUPS)) {
            revert NotAllowedToDeleteGroups(usage);
        }
        if (!_groupExists(account, groupId)) revert GroupDoesNotExist(accountHash, groupId);
        account.removedGroups[groupId / 256] |= 1 << (groupId % 256);
        emit GroupRemoved(accountHash, groupId);
    }

    /// @notice Lets the group's actions use a wallet. A usage key needs the group in addPkpToGroups.
    function addPkpToGroup(uint256 apiKeyHash, uint256 groupId, bytes32 pkpId) external {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (
            usage != 0 && !_mayIn(account, usage, UsageApiKeyRecords.ADD_PKP_TO_GROUPS, pkpId == 0 ? 0 : groupId)
        ) {
            revert NotAllowedToAddPkps(usage, groupId);
        }
        Storage.Group storage group = _group(accountHash, account, groupId);
        _requireWallet(accountHash, account, pkpId);
        uint256 count = group.pkpIds.add(group.pkpCount, pkpId);
        if (count > GROUP_IDS_MAX) revert TooManyIds("pkpIds", count, GROUP_IDS_MAX);
        group.pkpCount = uint16(count);
        emit PkpInGroupSet(accountHash, groupId, pkpId, true);
    }

    /// @notice Takes a wallet out of a group. A usage key needs the group in removePkpFromGroups.
    function removePkpFromGroup(uint256 apiKeyHash, uint256 groupId, bytes32 pkpId) external {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (usage != 0 && !_mayIn(account, usage, UsageApiKeyRecords.REMOVE_PKP_FROM_GROUPS, groupId)) {
            revert NotAllowedToRemovePkps(usage, groupId);
        }
        Storage.Group storage group = _group(accountHash, account, groupId);
        group.pkpCount = uint16(group.pkpIds.remove(group.pkpCount, pkpId));
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
        if (usage != 0 && !_mayIn(account, usage, UsageApiKeyRecords.MANAGE_IPFS_IDS_IN_GROUPS, groupId)) {
            revert NotAllowedToManageIpfsIds(usage, groupId);
        }
        Storage.Group storage group = _group(accountHash, account, groupId);
        group.cidCount = uint16(group.cidHashes.remove(group.cidCount, bytes32(cidHash)));
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
        if (!_mayIn(account, usage, UsageApiKeyRecords.MANAGE_IPFS_IDS_IN_GROUPS, groupId)) {
            revert NotAllowedToManageIpfsIds(usage, groupId);
        }
        mayRename = _mayIn(account, usage, UsageApiKeyRecords.MANAGE_IPFS_IDS_IN_GROUPS, 0);
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
        if (account.has(cidHash) && (!mayRename || bytes(name).length + bytes(description).length == 0)) return;
        // Both are empty if the action is new.
        (, string memory newName, string memory newDescription) = account.load(cidHash);
        if (bytes(name).length > 0) newName = name;
        if (bytes(description).length > 0) newDescription = description;
        account.store(cidHash, cid, newName, newDescription);
        emit ActionSet(accountHash, cidHash, cid, newName, newDescription);
    }

    function _permitAction(uint256 accountHash, uint256 groupId, uint256 cidHash) private {
        Storage.Account storage account = Storage.state().accounts[accountHash];
        Storage.Group storage group = _group(accountHash, account, groupId);
        uint256 count = group.cidHashes.add(group.cidCount, bytes32(cidHash));
        if (count > GROUP_IDS_MAX) revert TooManyIds("cidHashes", count, GROUP_IDS_MAX);
        group.cidCount = uint16(count);
        emit ActionInGroupSet(accountHash, groupId, cidHash, true);
    }

    function _group(uint256 accountHash, Storage.Account storage account, uint256 groupId)
        private
        view
        returns (Storage.Group storage)
    {
        if (!_groupExists(account, groupId)) revert GroupDoesNotExist(accountHash, groupId);
        return account.groups[groupId];
    }

    function _fillPkpIds(
        uint256 accountHash,
        Storage.Account storage account,
        Storage.Group storage group,
        bytes32[] calldata pkpIds
    ) private {
        _requireIds("pkpIds", pkpIds.length);
        uint256 count = group.pkpCount;
        for (uint256 i; i < pkpIds.length; ++i) {
            _requireWallet(accountHash, account, pkpIds[i]);
            count = group.pkpIds.add(count, pkpIds[i]);
        }
        group.pkpCount = uint16(count);
    }

    function _fillCidHashes(Storage.Group storage group, uint256[] calldata cidHashes) private {
        _requireIds("cidHashes", cidHashes.length);
        uint256 count = group.cidCount;
        for (uint256 i; i < cidHashes.length; ++i) {
            count = group.cidHashes.add(count, bytes32(cidHashes[i]));
        }
        group.cidCount = uint16(count);
    }

    /// @dev A wallet registered later by that address would slip into the group; "all of them" is said with 0.
    function _requireWallet(uint256 accountHash, Storage.Account storage account, bytes32 pkpId) private view {
        if (pkpId != 0 && account.wallets[pkpId].derivationPath == 0) revert WalletDoesNotExist(accountHash, pkpId);
    }

    /// @dev Read back rather than passed on: an id given twice is stored once, and the event says what is stored.
    function _emitGroupSet(uint256 accountHash, uint256 groupId, Storage.Group storage group) private {
        (string memory name, string memory description) = group.loadTexts();
        emit GroupSet(accountHash, groupId, name, description, group.pkpIdList(), group.cidHashList());
    }
}
