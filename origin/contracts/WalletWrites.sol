// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";
import {InputLimits} from "./InputLimits.sol";
import {PackedBytes} from "./PackedBytes.sol";
import {UsageApiKeyRecords} from "./UsageApiKeyRecords.sol";

/// @title Registering the wallets of an account.
abstract contract WalletWrites is AccountAccess, InputLimits, IAccountConfigEvents {
    /// @notice Registers a wallet, or replaces what was registered: a wrong path would make its funds unreachable,
    /// so it can be put right. A usage key needs canCreatePkps, and replaces nothing.
    /// @dev The contract cannot check that `derivationPath` leads to `pkpId`: only the root key shows that. The
    /// origin derives the address again, bound to this account, and ignores a registration that does not match.
    /// So registering an address seen elsewhere gains nothing, and since wallets are kept per account it takes
    /// nothing from the account that it belongs to.
    /// @param pkpId the wallet's address, left-padded with zeros to 32 bytes
    function registerWalletDerivation(
        uint256 apiKeyHash,
        bytes32 pkpId,
        bytes32 derivationPath,
        string calldata name,
        string calldata description
    ) external {
        (uint256 accountHash, Storage.Account storage account, uint256 usage) = _authorize(apiKeyHash);
        if (pkpId == 0 || uint256(pkpId) > type(uint160).max) {
            revert InvalidRequest("pkpId is not a padded address");
        }
        if (derivationPath == 0) revert InvalidRequest("derivationPath is zero");
        _requireTexts(name, description);
        Storage.Wallet storage wallet = account.wallets[pkpId];
        bool isNew = wallet.derivationPath == 0;
        if (usage != 0 && !(isNew && _may(account, usage, UsageApiKeyRecords.CAN_CREATE_PKPS))) {
            revert NotAllowedToCreatePkps(usage);
        }
        if (isNew) account.pkpIds[account.walletCount++] = pkpId;
        wallet.derivationPath = derivationPath;
        bytes32 start = PackedBytes.store(
            wallet.rest,
            Storage.WALLET_START,
            bytes.concat(bytes(name), bytes(description)),
            uint256(wallet.nameLength) + wallet.descriptionLength
        );
        wallet.nameLength = uint16(bytes(name).length);
        wallet.descriptionLength = uint16(bytes(description).length);
        wallet.start = bytes28(start);
        emit WalletRegistered(accountHash, pkpId, derivationPath, name, description);
    }
}
