// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";
import {InputLimits} from "./InputLimits.sol";
import {PackedBytes} from "./PackedBytes.sol";
import {UsageApiKeyRecords} from "./UsageApiKeyRecords.sol";

/// @title Authorizes and records the registration of a wallet, with or without a policy.
abstract contract WalletRegistration is AccountAccess, InputLimits, IAccountConfigEvents {
    /// @dev Returns nothing, because returning the account costs each registration gas.
    function _registerWallet(
        uint256 apiKeyHash,
        bytes32 pkpId,
        bytes32 derivationPath,
        string calldata name,
        string calldata description
    ) internal {
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
            isNew ? 0 : uint256(wallet.nameLength) + wallet.descriptionLength
        );
        wallet.nameLength = uint16(bytes(name).length);
        wallet.descriptionLength = uint16(bytes(description).length);
        wallet.start = bytes28(start);
        emit WalletRegistered(accountHash, pkpId, derivationPath, name, description);
    }
}
