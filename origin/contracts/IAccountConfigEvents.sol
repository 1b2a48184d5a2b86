// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {UsageApiKey} from "./AccountConfigTypes.sol";

/// @title What changed, in absolute values.
/// @dev Applying all events in order, from the diamond's first block, rebuilds the whole state; applying a stretch
/// of them again changes nothing. `accountHash` is always the resolved master hash, never the alias passed in.
interface IAccountConfigEvents {
    event AccountCreated(
        uint256 indexed accountHash,
        bool managed,
        address adminWallet,
        string name,
        string description,
        uint256 createdAt
    );
    event WalletRegistered(
        uint256 indexed accountHash,
        bytes32 indexed pkpId,
        bytes32 derivationPath,
        string name,
        string description
    );
    /// The policy takes effect at `effectiveAt`. Until then, `replaces` holds; it is zero for a new wallet. If
    /// `effectiveAt` is not later than `setAt`, the policy takes effect at once, and cancels any pending one.
    event WalletPolicySet(
        uint256 indexed accountHash,
        bytes32 indexed pkpId,
        bytes32 replaces,
        bytes32 policyHash,
        uint256 changeDelay,
        bool isImmutable,
        uint256 setAt,
        uint256 effectiveAt
    );
    /// The group as it is from here on: new or replaced.
    event GroupSet(
        uint256 indexed accountHash,
        uint256 indexed groupId,
        string name,
        string description,
        bytes32[] pkpIds,
        uint256[] cidHashes
    );
    /// The key as it is from here on: new or replaced. `createdAt` stays that of the first.
    event UsageApiKeySet(
        uint256 indexed accountHash, uint256 indexed usageApiKeyHash, UsageApiKey key, uint256 createdAt
    );
    /// `aliasHash` names the account from here on. `wallet` is what the hash was made of; zero: it is an API key's.
    event AliasSet(uint256 indexed accountHash, uint256 indexed aliasHash, address wallet);
    /// As a credential the hash is worth nothing any more; it still names the account.
    event ApiKeyHashRevoked(uint256 indexed accountHash, uint256 indexed apiKeyHash);
    event UsageApiKeyRemoved(uint256 indexed accountHash, uint256 indexed usageApiKeyHash);
    event GroupRemoved(uint256 indexed accountHash, uint256 indexed groupId);
    event PkpInGroupSet(uint256 indexed accountHash, uint256 indexed groupId, bytes32 pkpId, bool permitted);
    event ActionInGroupSet(uint256 indexed accountHash, uint256 indexed groupId, uint256 cidHash, bool permitted);
    /// The action's record as it is from here on: new or replaced. It permits nothing by itself.
    event ActionSet(
        uint256 indexed accountHash, uint256 indexed cidHash, string cid, string name, string description
    );
    event ActionRemoved(uint256 indexed accountHash, uint256 indexed cidHash);
    /// From API mode to ChainSecured mode: `adminWallet` alone writes the account from here on.
    event AccountConverted(uint256 indexed accountHash, address adminWallet);
    event ChainSecuredAccountOwnershipTransferred(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdminWalletAddress,
        address indexed newAdminWalletAddress
    );
    event ApiPayerSet(address indexed payer, bool allowed);
    event NodeConfigurationSet(string key, string value);
}
