// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {IAccountConfigErrors} from "./IAccountConfigErrors.sol";
import {UsageApiKeyRecords} from "./UsageApiKeyRecords.sol";

/// @title Which account a hash names, who may write it, and how far a usage key reaches.
abstract contract AccountAccess is IAccountConfigErrors {
    using EnumerableSet for EnumerableSet.AddressSet;
    using UsageApiKeyRecords for Storage.UsageApiKeyRecord;

    modifier onlyApiPayer() {
        if (!Storage.state().apiPayers.contains(msg.sender)) revert NotApiPayer(msg.sender);
        _;
    }

    /// @return the master hash that `apiKeyHash`, itself or as an alias, names; 0 if it names no account
    function _masterOf(uint256 apiKeyHash) internal view returns (uint256) {
        Storage.Layout storage l = Storage.state();
        return l.accounts[apiKeyHash].adminWallet != address(0) ? apiKeyHash : l.aliasToMaster[apiKeyHash];
    }

    /// @dev As `_masterOf`, for a hash that has to name an account.
    function _resolve(uint256 apiKeyHash) internal view returns (uint256 accountHash) {
        accountHash = _masterOf(apiKeyHash);
        if (accountHash == 0) revert AccountDoesNotExist(apiKeyHash);
    }

    /// @dev Whose credential this is: a master hash, an alias, or a usage key's hash, removed ones too.
    /// A master hash or alias goes before a usage key of the same hash: anyone can register the hash of a wallet,
    /// which is public, as a usage key, and must not stand in that wallet's way.
    /// `usageApiKeyHash` is 0 where the credential is the account's own.
    function _identify(uint256 apiKeyHash)
        internal
        view
        returns (uint256 accountHash, Storage.Account storage account, uint256 usageApiKeyHash)
    {
        Storage.Layout storage l = Storage.state();
        accountHash = _masterOf(apiKeyHash);
        if (accountHash == 0) {
            accountHash = l.usageApiKeyHashToMaster[apiKeyHash];
            if (accountHash == 0) revert AccountDoesNotExist(apiKeyHash);
            usageApiKeyHash = apiKeyHash;
        }
        account = l.accounts[accountHash];
    }

    /// @dev The credential of a write, and who sends it. A managed account is written by an api payer alone, for
    /// its owner holds an API key and no wallet; an unmanaged one by its admin wallet alone, so that the service's
    /// own payers have no authority there. The diamond's owner is neither.
    function _authorize(uint256 apiKeyHash)
        internal
        view
        returns (uint256 accountHash, Storage.Account storage account, uint256 usageApiKeyHash)
    {
        (accountHash, account, usageApiKeyHash) = _identify(apiKeyHash);
        Storage.Layout storage l = Storage.state();
        bool managed = account.managed;
        bool allowed = managed ? l.apiPayers.contains(msg.sender) : account.adminWallet == msg.sender;
        if (!allowed) revert NoAccountAccess(accountHash, msg.sender);
        // On an unmanaged account a master hash or alias is only a name: the wallet is the credential.
        bool revoked = usageApiKeyHash != 0
            ? account.usageApiKeys[usageApiKeyHash].position == 0
            : managed && account.rotated && l.revokedApiKeyHashes[apiKeyHash];
        if (revoked) revert ApiKeyRevoked(apiKeyHash);
    }

    /// @dev As `_authorize`, for what no usage key may do.
    function _authorizeMaster(uint256 apiKeyHash)
        internal
        view
        returns (uint256 accountHash, Storage.Account storage account)
    {
        uint256 usageApiKeyHash;
        (accountHash, account, usageApiKeyHash) = _authorize(apiKeyHash);
        if (usageApiKeyHash != 0) revert NotMasterAccount(usageApiKeyHash);
    }

    /// @dev A hash is the key of one account, in one role, for ever. Else a hash seen in the mempool could be claimed
    /// first, and its holder's runs would land in the claimant's account.
    function _refuseTakenHash(uint256 hash) internal view {
        Storage.Layout storage l = Storage.state();
        if (hash == 0) revert InvalidRequest("the key's hash is zero");
        uint256 master = _masterOf(hash);
        if (master != 0) {
            if (l.revokedApiKeyHashes[hash]) revert ApiKeyHashAlreadyRevoked(hash);
            revert AccountAlreadyExists(master);
        }
        uint256 holder = l.usageApiKeyHashToMaster[hash];
        if (holder == 0) return;
        if (l.accounts[holder].usageApiKeys[hash].position != 0) revert UsageApiKeyAlreadyExists(hash, holder);
        revert ApiKeyHashAlreadyRevoked(hash);
    }

    /// @return whether one of a usage key's arrays names the group, or all groups by 0
    function _reaches(uint256[] memory groupIds, uint256 groupId) internal pure returns (bool) {
        for (uint256 i; i < groupIds.length; ++i) {
            uint256 id = groupIds[i];
            if (id == 0 || id == groupId) return true;
        }
        return false;
    }

    /// @param list an index of `UsageApiKeyRecords`
    function _mayIn(Storage.Account storage account, uint256 usageApiKeyHash, uint256 list, uint256 groupId)
        internal
        view
        returns (bool)
    {
        return _reaches(account.usageApiKeys[usageApiKeyHash].groupIds(list), groupId);
    }

    /// @param flag a flag of `UsageApiKeyRecords`
    function _may(Storage.Account storage account, uint256 usageApiKeyHash, uint8 flag) internal view returns (bool) {
        return account.usageApiKeys[usageApiKeyHash].flags & flag != 0;
    }

    function _groupExists(Storage.Account storage account, uint256 groupId) internal view returns (bool) {
        return groupId != 0 && groupId < account.nextGroupId
            && (account.removedGroups[groupId / 256] >> (groupId % 256)) & 1 == 0;
    }

    /// @return next the lowest ID of a group above `groupId`, 0 if there is none
    function _groupAfter(Storage.Account storage account, uint256 groupId) internal view returns (uint256 next) {
        uint256 end = account.nextGroupId;
        for (next = groupId + 1; next < end; ++next) {
            uint256 removed = account.removedGroups[next / 256] >> (next % 256);
            if (removed & 1 == 0) return next;
            // Skips the rest of a word of removed groups, so that they cost next to nothing.
            if (removed == type(uint256).max >> (next % 256)) next |= 255;
        }
        return 0;
    }

    /// @dev Time is stored in 40 bits, and must not be truncated.
    function _now() internal view returns (uint40) {
        if (block.timestamp > type(uint40).max) revert InvalidRequest("the block's time is out of range");
        return uint40(block.timestamp);
    }
}
