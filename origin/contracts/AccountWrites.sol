// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";
import {InputLimits} from "./InputLimits.sol";
import {PackedBytes} from "./PackedBytes.sol";

/// @title Opening accounts, and who owns them (specification, States and transitions).
abstract contract AccountWrites is AccountAccess, InputLimits, IAccountConfigEvents {
    /// @notice Registers a managed account.
    /// @param apiKeyHash keccak256 of the first API key's text; the account's identity from here on
    /// @param accountWallet the wallet that the origin derived for this hash. Nobody outside the enclave has its
    /// key, so that it already is an admin elsewhere, by a transfer nobody asked for, must not stand in the way.
    function newAccount(
        uint256 apiKeyHash,
        address accountWallet,
        string calldata name,
        string calldata description
    ) external onlyApiPayer {
        if (accountWallet == address(0)) revert InvalidRequest("accountWallet is the zero address");
        _refuseTakenHash(apiKeyHash);
        _open(apiKeyHash, accountWallet, true, name, description);
    }

    /// @notice Registers an account that only the calling wallet can change.
    /// @return accountHash keccak256 of the wallet's 20 bytes
    function newChainSecuredAccount(string calldata name, string calldata description)
        external
        returns (uint256 accountHash)
    {
        _refuseFormerAdmin(msg.sender);
        accountHash = _hashOf(msg.sender);
        _open(accountHash, msg.sender, false, name, description);
    }

    /// @notice Gives a managed account to a wallet, for ever; hashes, groups, wallets, keys and actions stay.
    /// @param typedDataDigest the EIP-712 digest that the wallet signed. The origin has verified the signature: a
    /// contract wallet's can only be checked with calls, and this facet makes none.
    function convertToChainSecuredAccount(
        uint256 apiKeyHash,
        address newAdminWalletAddress,
        bytes32 typedDataDigest
    ) external {
        Storage.Layout storage l = Storage.state();
        (uint256 accountHash, Storage.Account storage account,) = _identify(apiKeyHash);
        if (!account.managed) revert InvalidRequest("the account is not managed");
        _authorizeMaster(apiKeyHash);
        if (newAdminWalletAddress == address(0)) revert InvalidRequest("the new admin is the zero address");
        if (l.usedTypedDataDigests[typedDataDigest]) revert TypedDataAlreadyUsed(typedDataDigest);
        _refuseFormerAdmin(newAdminWalletAddress);
        l.usedTypedDataDigests[typedDataDigest] = true;
        account.managed = false;
        emit AccountConverted(accountHash, newAdminWalletAddress);
        _appoint(accountHash, account, newAdminWalletAddress);
    }

    /// @notice Hands an unmanaged account to another wallet. The caller loses all authority with this transaction.
    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress) external {
        if (newAdminWalletAddress == address(0)) revert InvalidRequest("the new admin is the zero address");
        uint256 accountHash = _resolve(apiKeyHash);
        Storage.Account storage account = Storage.state().accounts[accountHash];
        if (account.managed) revert InvalidRequest("the account is managed");
        address previous = account.adminWallet;
        if (previous != msg.sender) revert NoAccountAccess(accountHash, msg.sender);
        if (newAdminWalletAddress == previous) revert InvalidRequest("the new admin is the admin already");
        _refuseFormerAdmin(newAdminWalletAddress);
        _appoint(accountHash, account, newAdminWalletAddress);
        emit ChainSecuredAccountOwnershipTransferred(accountHash, previous, newAdminWalletAddress);
    }

    /// @notice Replaces the API key of a managed account: the new hash becomes an alias, the old is revoked.
    function rotateAccountApiKey(uint256 apiKeyHash, uint256 newApiKeyHash) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        if (!account.managed) revert InvalidRequest("the account has no API key");
        _refuseTakenHash(newApiKeyHash);
        _addAlias(accountHash, account, newApiKeyHash, address(0));
        account.rotated = true;
        Storage.state().revokedApiKeyHashes[apiKeyHash] = true;
        emit ApiKeyHashRevoked(accountHash, apiKeyHash);
    }

    function _open(
        uint256 accountHash,
        address wallet,
        bool managed,
        string calldata name,
        string calldata description
    ) private {
        _requireTexts(name, description);
        Storage.Layout storage l = Storage.state();
        Storage.Account storage account = l.accounts[accountHash];
        bytes32 start = PackedBytes.store(
            account.rest, Storage.ACCOUNT_START, bytes.concat(bytes(name), bytes(description)), 0
        );
        account.adminWallet = wallet;
        account.managed = managed;
        account.createdAt = _now();
        account.nextGroupId = 1;
        account.nameLength = uint16(bytes(name).length);
        account.descriptionLength = uint16(bytes(description).length);
        account.start = bytes16(start);
        if (l.everAdminOf[wallet] == 0) l.everAdminOf[wallet] = accountHash;
        emit AccountCreated(accountHash, managed, wallet, name, description, block.timestamp);
    }

    function _appoint(uint256 accountHash, Storage.Account storage account, address wallet) private {
        account.adminWallet = wallet;
        Storage.state().everAdminOf[wallet] = accountHash;
        _addAlias(accountHash, account, _hashOf(wallet), wallet);
    }

    function _addAlias(uint256 accountHash, Storage.Account storage account, uint256 aliasHash, address wallet) private {
        account.aliasHashes.push(aliasHash);
        Storage.state().aliasToMaster[aliasHash] = accountHash;
        emit AliasSet(accountHash, aliasHash, wallet);
    }

    /// @dev Whoever was an admin once can own no other account, and get none back. A wallet's hash that names an
    /// account without that, as only a payer can make it, is not taken from that account either.
    function _refuseFormerAdmin(address wallet) private view {
        uint256 owned = Storage.state().everAdminOf[wallet];
        if (owned == 0) owned = _masterOf(_hashOf(wallet));
        if (owned != 0) revert AccountAlreadyExists(owned);
    }

    function _hashOf(address wallet) private pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(wallet)));
    }
}
