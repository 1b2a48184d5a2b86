// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";
import {InputLimits} from "./InputLimits.sol";
import {UsageApiKey} from "./AccountConfigTypes.sol";
import {UsageApiKeyRecords} from "./UsageApiKeyRecords.sol";

/// @title Usage API keys: made, changed and removed by the account's own credential alone, so that no usage key can
/// grant anything, to itself or to another.
abstract contract UsageApiKeyWrites is AccountAccess, InputLimits, IAccountConfigEvents {
    using UsageApiKeyRecords for Storage.UsageApiKeyRecord;

    uint256 private constant ALL_FIELDS = type(uint256).max;

    /// @notice Creates a usage API key, or replaces the permissions of one that is this account's.
    /// @param usageApiKeyHash keccak256 of the usage key's text
    function setUsageApiKey(uint256 apiKeyHash, uint256 usageApiKeyHash, UsageApiKey calldata key) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        Storage.UsageApiKeyRecord storage record = account.usageApiKeys[usageApiKeyHash];
        if (record.position == 0) {
            _refuseTakenHash(usageApiKeyHash);
            account.usageApiKeyHashes[account.usageApiKeyCount] = usageApiKeyHash;
            record.position = ++account.usageApiKeyCount;
            record.createdAt = _now();
            Storage.state().usageApiKeyHashToMaster[usageApiKeyHash] = accountHash;
        }
        _replace(accountHash, usageApiKeyHash, account, ALL_FIELDS, key);
    }

    /// @notice Replaces what `fields` names, bit n for the n-th member of `UsageApiKey` (1 name, 2 description,
    /// 4 canCreateGroups, ... 256 executeInGroups).
    /// @dev The rest stays as it is on the chain: a permission taken away at the same time does not come back.
    function updateUsageApiKey(
        uint256 apiKeyHash,
        uint256 usageApiKeyHash,
        uint256 fields,
        UsageApiKey calldata key
    ) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        if (account.usageApiKeys[usageApiKeyHash].position == 0) {
            revert UsageApiKeyDoesNotExist(accountHash, usageApiKeyHash);
        }
        _replace(accountHash, usageApiKeyHash, account, fields, key);
    }

    /// @notice Revokes a usage API key, for ever: its hash goes on naming this account, and no key of it.
    function removeUsageApiKey(uint256 apiKeyHash, uint256 usageApiKeyHash) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        uint32 position = account.usageApiKeys[usageApiKeyHash].position;
        if (position == 0) revert UsageApiKeyDoesNotExist(accountHash, usageApiKeyHash);
        uint32 last = --account.usageApiKeyCount;
        uint256 moved = account.usageApiKeyHashes[last];
        account.usageApiKeyHashes[position - 1] = moved;
        account.usageApiKeys[moved].position = position;
        delete account.usageApiKeyHashes[last];
        account.usageApiKeys[usageApiKeyHash].clear();
        emit UsageApiKeyRemoved(accountHash, usageApiKeyHash);
    }

    function _replace(
        uint256 accountHash,
        uint256 usageApiKeyHash,
        Storage.Account storage account,
        uint256 fields,
        UsageApiKey calldata key
    ) private {
        _requireTexts(key.name, key.description);
        uint256 next = account.nextGroupId;
        _requireGroups("manageIpfsIdsInGroups", accountHash, next, key.manageIpfsIdsInGroups);
        _requireGroups("addPkpToGroups", accountHash, next, key.addPkpToGroups);
        _requireGroups("removePkpFromGroups", accountHash, next, key.removePkpFromGroups);
        _requireGroups("executeInGroups", accountHash, next, key.executeInGroups);

        Storage.UsageApiKeyRecord storage record = account.usageApiKeys[usageApiKeyHash];
        UsageApiKey memory merged = fields == ALL_FIELDS ? key : _merge(record.load(), fields, key);
        record.store(merged);
        emit UsageApiKeySet(accountHash, usageApiKeyHash, merged, record.createdAt);
    }

    function _merge(UsageApiKey memory stored, uint256 fields, UsageApiKey calldata key)
        private
        pure
        returns (UsageApiKey memory)
    {
        if (fields & 1 != 0) stored.name = key.name;
        if (fields & 2 != 0) stored.description = key.description;
        if (fields & 4 != 0) stored.canCreateGroups = key.canCreateGroups;
        if (fields & 8 != 0) stored.canDeleteGroups = key.canDeleteGroups;
        if (fields & 16 != 0) stored.canCreatePkps = key.canCreatePkps;
        if (fields & 32 != 0) stored.manageIpfsIdsInGroups = key.manageIpfsIdsInGroups;
        if (fields & 64 != 0) stored.addPkpToGroups = key.addPkpToGroups;
        if (fields & 128 != 0) stored.removePkpFromGroups = key.removePkpFromGroups;
        if (fields & 256 != 0) stored.executeInGroups = key.executeInGroups;
        return stored;
    }

    /// @dev A group id not issued yet would be a grant in a group that someone creates later for another purpose.
    /// One issued and since removed is taken: it grants nothing, for ids are never reused.
    function _requireGroups(
        string memory field,
        uint256 accountHash,
        uint256 nextGroupId,
        uint256[] calldata groupIds
    ) private pure {
        _requireIds(field, groupIds.length);
        for (uint256 i; i < groupIds.length; ++i) {
            if (groupIds[i] >= nextGroupId) revert GroupDoesNotExist(accountHash, groupIds[i]);
        }
    }
}
