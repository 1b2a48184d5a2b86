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
    event ApiPayerSet(address indexed payer, bool allowed);
    event NodeConfigurationSet(string key, string value);
}
