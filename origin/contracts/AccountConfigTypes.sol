// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// What callers send and read. The order of fields is part of the ABI, so new ones go last.

/// @notice A usage API key's permissions. In each array 0 means every group of the account.
struct UsageApiKey {
    string name;
    string description;
    bool canCreateGroups;
    bool canDeleteGroups;
    bool canCreatePkps;
    uint256[] manageIpfsIdsInGroups;
    uint256[] addPkpToGroups;
    uint256[] removePkpFromGroups;
    uint256[] executeInGroups;
}

/// @notice What a group is made of, as callers send it.
struct GroupInput {
    string name;
    string description;
    /// Wallets of this account; 32 zero bytes: all of them, later ones included.
    bytes32[] pkpIds;
    /// keccak256 of CIDs, registered or not; 0: every action.
    uint256[] cidHashes;
}

/// @notice The parts of a policy's document that the contract needs, because it cannot read documents.
struct PolicyTerms {
    /// Hash of the document.
    bytes32 policyHash;
    /// Seconds before a change that loosens the policy takes effect.
    uint40 changeDelay;
    /// If true, the policy can never be changed.
    bool isImmutable;
}

/// @notice A hash that names the account: the master's first, then its aliases.
struct ApiKeyHashView {
    uint256 apiKeyHash;
    /// A revoked hash still names the account; as a credential it is worth nothing.
    bool revoked;
}

struct WalletView {
    bytes32 pkpId;
    bytes32 derivationPath;
    string name;
    string description;
}

/// @notice The policy of a wallet as of the block. Times are Unix seconds. The last four members are zero if no
/// change is pending.
struct WalletPolicyView {
    bytes32 pkpId;
    bytes32 policyHash;
    uint256 changeDelay;
    bool isImmutable;
    /// Time of the last write, even if the policy that it set is still pending.
    uint256 setAt;
    bytes32 pendingHash;
    uint256 pendingDelay;
    bool pendingImmutable;
    /// Time at which the pending policy takes effect.
    uint256 pendingAt;
}

struct GroupView {
    uint256 groupId;
    string name;
    string description;
    /// 32 zero bytes: every wallet of the account.
    bytes32[] pkpIds;
    /// 0: every action.
    uint256[] cidHashes;
}

struct UsageApiKeyView {
    uint256 apiKeyHash;
    uint256 createdAt;
    UsageApiKey key;
}

struct ActionView {
    uint256 cidHash;
    string cid;
    string name;
    string description;
}

/// @notice Everything that the contract holds of one account; arrays are in no promised order.
struct AccountView {
    uint256 accountHash;
    bool managed;
    address adminWallet;
    string name;
    string description;
    /// Unix seconds.
    uint256 createdAt;
    uint256 nextGroupId;
    ApiKeyHashView[] apiKeyHashes;
    WalletView[] wallets;
    GroupView[] groups;
    UsageApiKeyView[] usageApiKeys;
    ActionView[] actions;
}
