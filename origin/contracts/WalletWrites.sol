// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {WalletRegistration} from "./WalletRegistration.sol";

/// @title Registering the wallets of an account.
abstract contract WalletWrites is WalletRegistration {
    /// @notice Registers a wallet, or replaces what was registered: a wrong path would make its funds unreachable,
    /// so it can be put right. A usage key needs canCreatePkps, and replaces nothing. The policy of a wallet stays.
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
        _registerWallet(apiKeyHash, pkpId, derivationPath, name, description);
    }
}
