// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {UsageApiKey} from "./AccountConfigTypes.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";

/// @title Writes to accounts: by an api payer for a managed account, by the admin wallet for an unmanaged one.
/// @dev `apiKeyHash` is the master hash or any alias. No function calls another contract.
contract WritesFacet is AccountAccess, IAccountConfigEvents {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;
    using EnumerableSet for EnumerableSet.UintSet;

    /// Bounds the gas of one write; `PERMISSION_IDS_MAX` in shared/limits.ts says the same to clients.
    uint256 private constant IDS_MAX = 50;

    /// @notice Registers a managed account.
    /// @param apiKeyHash keccak256 of the first API key's text; the account's identity from here on
    /// @param accountWallet the wallet that the origin derived for this hash
    function newAccount(
        uint256 apiKeyHash,
        address accountWallet,
        string calldata name,
        string calldata description
    ) external onlyApiPayer {
        Storage.Layout storage l = Storage.state();
        if (apiKeyHash == 0) revert InvalidRequest("apiKeyHash is zero");
        if (accountWallet == address(0)) revert InvalidRequest("accountWallet is the zero address");
        if (l.allApiKeyHashesToMaster[apiKeyHash] != 0) {
            revert AccountAlreadyExists(l.allApiKeyHashesToMaster[apiKeyHash]);
        }
        if (l.everAdminOf[accountWallet] != 0) revert AccountAlreadyExists(l.everAdminOf[accountWallet]);
        _refuseUsedHash(apiKeyHash, 0);

        Storage.Account storage account = l.accounts[apiKeyHash];
        account.adminWallet = accountWallet;
        account.managed = true;
        account.createdAt = uint40(block.timestamp);
        account.nextGroupId = 1;
        account.name = name;
        account.description = description;
        l.allApiKeyHashesToMaster[apiKeyHash] = apiKeyHash;
        l.everAdminOf[accountWallet] = apiKeyHash;
        emit AccountCreated(apiKeyHash, true, accountWallet, name, description, block.timestamp);
    }

    /// @notice Registers a wallet, or replaces what was registered: a wrong path would make its funds unreachable,
    /// so it can be put right.
    /// @dev The contract cannot check that `derivationPath` leads to `pkpId`: only the root key shows that. The
    /// origin derives the address again, bound to this account, and ignores a registration that does not match.
    /// So registering an address seen elsewhere gains nothing, and since wallets are kept per account it takes
    /// nothing from the account that it belongs to.
    /// @param pkpId the wallet's address, left-padded with zeros to 32 bytes
    function registerWallet(
        uint256 apiKeyHash,
        bytes32 pkpId,
        bytes32 derivationPath,
        string calldata name,
        string calldata description
    ) external onlyPayerIfManagedElseOnlyAdmin(apiKeyHash) {
        if (pkpId == 0 || uint256(pkpId) > type(uint160).max) {
            revert InvalidRequest("pkpId is not a padded address");
        }
        if (derivationPath == 0) revert InvalidRequest("derivationPath is zero");
        uint256 accountHash = _resolve(apiKeyHash);
        Storage.Account storage account = Storage.state().accounts[accountHash];
        account.pkpIds.add(pkpId);
        account.wallets[pkpId] = Storage.Wallet(derivationPath, name, description);
        emit WalletRegistered(accountHash, pkpId, derivationPath, name, description);
    }

    /// @notice Creates a group.
    /// @param pkpIds wallets of this account; 32 zero bytes: all of them, later ones included
    /// @param cidHashes keccak256 of CIDs, registered or not; 0: every action
    /// @return groupId counted from 1 in each account, never reused
    function addGroup(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        bytes32[] calldata pkpIds,
        uint256[] calldata cidHashes
    ) external onlyPayerIfManagedElseOnlyAdmin(apiKeyHash) returns (uint256 groupId) {
        _refuseTooMany("pkpIds", pkpIds.length);
        _refuseTooMany("cidHashes", cidHashes.length);
        uint256 accountHash = _resolve(apiKeyHash);
        Storage.Account storage account = Storage.state().accounts[accountHash];
        _refuseUnknownWallets(accountHash, account, pkpIds);
        groupId = account.nextGroupId++;
        account.groupIds.add(groupId);
        Storage.Group storage group = account.groups[groupId];
        group.name = name;
        group.description = description;
        _fill(group, pkpIds, cidHashes);
        _emitGroupSet(accountHash, groupId, group);
    }

    /// @notice Creates a usage API key, or replaces the permissions of one that is this account's.
    /// @dev A hash means one thing on this contract: it is a key of one account, in one role. Else a hash seen in
    /// the mempool could be claimed first, and its holder's runs would land in the claimant's account.
    /// @param usageApiKeyHash keccak256 of the usage key's text
    function setUsageApiKey(uint256 apiKeyHash, uint256 usageApiKeyHash, UsageApiKey calldata key)
        external
        onlyPayerIfManagedElseOnlyAdmin(apiKeyHash)
    {
        Storage.Layout storage l = Storage.state();
        uint256 accountHash = _resolve(apiKeyHash);
        if (usageApiKeyHash == 0) revert InvalidRequest("usageApiKeyHash is zero");
        if (l.allApiKeyHashesToMaster[usageApiKeyHash] != 0) {
            revert AccountAlreadyExists(l.allApiKeyHashesToMaster[usageApiKeyHash]);
        }
        _refuseUsedHash(usageApiKeyHash, accountHash);

        Storage.Account storage account = l.accounts[accountHash];
        uint256 nextGroupId = account.nextGroupId;
        _refuseUnknownGroups("manageIpfsIdsInGroups", accountHash, nextGroupId, key.manageIpfsIdsInGroups);
        _refuseUnknownGroups("addPkpToGroups", accountHash, nextGroupId, key.addPkpToGroups);
        _refuseUnknownGroups("removePkpFromGroups", accountHash, nextGroupId, key.removePkpFromGroups);
        _refuseUnknownGroups("executeInGroups", accountHash, nextGroupId, key.executeInGroups);

        Storage.UsageApiKeyRecord storage record = account.usageApiKeys[usageApiKeyHash];
        if (account.usageApiKeyHashes.add(usageApiKeyHash)) {
            record.createdAt = block.timestamp;
            l.usageApiKeyHashToMaster[usageApiKeyHash] = accountHash;
        }
        record.key = key;
        emit UsageApiKeySet(accountHash, usageApiKeyHash, key, record.createdAt);
    }

    function _fill(Storage.Group storage group, bytes32[] calldata pkpIds, uint256[] calldata cidHashes) private {
        for (uint256 i; i < pkpIds.length; ++i) {
            group.pkpIds.add(pkpIds[i]);
        }
        for (uint256 i; i < cidHashes.length; ++i) {
            group.cidHashes.add(cidHashes[i]);
        }
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

    /// @dev A wallet registered later by that address would slip into the group; "all of them" is said with 0.
    function _refuseUnknownWallets(
        uint256 accountHash,
        Storage.Account storage account,
        bytes32[] calldata pkpIds
    ) private view {
        for (uint256 i; i < pkpIds.length; ++i) {
            if (pkpIds[i] != 0 && !account.pkpIds.contains(pkpIds[i])) {
                revert WalletDoesNotExist(accountHash, pkpIds[i]);
            }
        }
    }

    /// @dev Refuses a hash that was revoked, or that is a usage key of an account other than `accountHash`.
    function _refuseUsedHash(uint256 hash, uint256 accountHash) private view {
        Storage.Layout storage l = Storage.state();
        if (l.revokedApiKeyHashes[hash]) revert ApiKeyHashRevoked(hash);
        uint256 holder = l.usageApiKeyHashToMaster[hash];
        if (holder != 0 && holder != accountHash) revert UsageApiKeyAlreadyExists(hash, holder);
    }

    /// @dev A group id not issued yet would be a grant in a group that someone creates later for another purpose.
    /// One issued and since removed is taken: it grants nothing, for ids are never reused.
    function _refuseUnknownGroups(
        string memory field,
        uint256 accountHash,
        uint256 nextGroupId,
        uint256[] calldata groupIds
    ) private pure {
        _refuseTooMany(field, groupIds.length);
        for (uint256 i; i < groupIds.length; ++i) {
            if (groupIds[i] >= nextGroupId) revert GroupDoesNotExist(accountHash, groupIds[i]);
        }
    }

    function _refuseTooMany(string memory field, uint256 given) private pure {
        if (given > IDS_MAX) revert TooManyIds(field, given, IDS_MAX);
    }
}
