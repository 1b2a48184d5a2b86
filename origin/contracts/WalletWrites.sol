// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {WalletRegistration} from "./WalletRegistration.sol";

/// @title Registering the wallets of an account.
abstract contract WalletWrites is WalletRegistration {
    /// @notice Registers a wallet, or replaces its registration, so that a wrong path, which would make the funds
    /// unreachable, can be corrected. A usage key needs canCreatePkps, and can only register new wallets. A wallet that
    /// is registered again keeps its policy.
    /// @dev The contract cannot check that `derivationPath` leads to `pkpId`, because that takes the root key. The
    /// origin derives the address from the account and the path, and ignores a registration that does not match.
    /// Registering the address of another account's wallet therefore has no effect on either account.
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
