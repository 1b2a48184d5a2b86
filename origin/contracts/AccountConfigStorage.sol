// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {IdSet} from "./IdSet.sol";

/// @title Where every facet keeps its state: one ERC-7201 namespace.
/// @dev The diamond outlives its facets. A member may be appended to `Layout` and to the structs that are values of
/// a mapping; none may be moved, retyped or removed. Any other change needs a new namespace and a new `VERSION`.
///
/// Each new slot costs 22,100 gas, so fields share slots (docs/decisions/0103). The texts of a record are one sequence
/// of bytes (`PackedBytes`): it begins in the member `start` and continues in the member `rest`.
library AccountConfigStorage {
    /// keccak256(abi.encode(uint256(keccak256("svc.storage.AccountConfig.2")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 internal constant SLOT = 0x47949fe6d4d4625f90c325c4b50f5c206c20580bb58a9aa26646cd8667612600;

    /// Identifies this layout, in `Layout.version`.
    uint256 internal constant VERSION = 2;

    /// Bytes of the member `start` of each record.
    uint256 internal constant ACCOUNT_START = 16;
    uint256 internal constant WALLET_START = 28;
    uint256 internal constant GROUP_START = 24;
    uint256 internal constant USAGE_API_KEY_START = 14;
    uint256 internal constant ACTION_START = 23;

    /// Wallets are never removed. A wallet exists if its path is not zero.
    struct Wallet {
        bytes32 derivationPath;
        uint16 nameLength;
        uint16 descriptionLength;
        /// Name, description.
        bytes28 start;
        mapping(uint256 word => bytes32) rest;
    }

    struct Group {
        uint16 pkpCount;
        uint16 cidCount;
        uint16 nameLength;
        uint16 descriptionLength;
        /// Name, description.
        bytes24 start;
        mapping(uint256 word => bytes32) rest;
        IdSet.Set pkpIds;
        IdSet.Set cidHashes;
    }

    struct UsageApiKeyRecord {
        uint40 createdAt;
        /// Index in `Account.usageApiKeyHashes`, plus 1. 0 if the account does not have the key, or not any more.
        uint32 position;
        /// Bits of `UsageApiKeyRecords`.
        uint8 flags;
        /// Number of IDs in each list, a byte each.
        uint32 listLengths;
        uint16 nameLength;
        uint16 descriptionLength;
        /// The lists with 4 bytes for each group ID, name, description.
        bytes14 start;
        mapping(uint256 word => bytes32) rest;
    }

    struct Action {
        /// Index in `Account.cidHashes`, plus 1. 0 if the action is not recorded.
        uint32 position;
        uint8 cidLength;
        uint16 nameLength;
        uint16 descriptionLength;
        /// CID, name, description.
        bytes23 start;
        mapping(uint256 word => bytes32) rest;
    }

    /// The policy of a wallet, and the pending one. A wallet has a policy if `policyHash` is not zero. Must be read
    /// through `WalletPolicies.asOf`, because storage does not change when the pending policy takes effect.
    struct WalletPolicy {
        bytes32 policyHash;
        /// Like all members of the pending policy, zero if no policy is pending.
        bytes32 pendingHash;
        /// Time of the last write, even if the policy that it set is still pending.
        uint40 setAt;
        uint40 pendingAt;
        /// Seconds before a change that loosens the policy takes effect.
        uint40 changeDelay;
        uint40 pendingDelay;
        bool isImmutable;
        bool pendingImmutable;
    }

    /// Group membership and wallets are per account: what one account registers is no fact about another's.
    struct Account {
        /// An account exists if it has an admin.
        address adminWallet;
        bool managed;
        /// Whether any key of the account was rotated. If not, no hash of the account is revoked.
        bool rotated;
        uint40 createdAt;
        /// From 1, per account, never reused: a permission that names a removed group can never come alive.
        uint32 nextGroupId;
        uint32 walletCount;
        uint32 usageApiKeyCount;
        uint32 actionCount;
        uint16 nameLength;
        uint16 descriptionLength;
        /// Name, description.
        bytes16 start;
        mapping(uint256 word => bytes32) rest;
        /// Hashes beside the master's own that resolve to this account.
        uint256[] aliasHashes;
        mapping(uint256 index => bytes32) pkpIds;
        mapping(bytes32 pkpId => Wallet) wallets;
        /// Bit n of word m: group 256 m + n was removed. Every other group below `nextGroupId` exists.
        mapping(uint256 word => uint256) removedGroups;
        mapping(uint256 groupId => Group) groups;
        mapping(uint256 index => uint256) usageApiKeyHashes;
        mapping(uint256 usageApiKeyHash => UsageApiKeyRecord) usageApiKeys;
        mapping(uint256 index => uint256) cidHashes;
        mapping(uint256 cidHash => Action) actions;
        mapping(bytes32 pkpId => WalletPolicy) policies;
    }

    /// @custom:storage-location erc7201:svc.storage.AccountConfig.2
    struct Layout {
        /// Set by the diamond's constructor. 0 in a diamond with another layout, whose state is elsewhere.
        uint256 version;
        mapping(uint256 accountHash => Account) accounts;
        /// Aliases only: a master hash is a key of `accounts`.
        mapping(uint256 aliasHash => uint256 accountHash) aliasToMaster;
        /// Rotated account keys. Never cleared: a revoked hash cannot come back.
        mapping(uint256 apiKeyHash => bool) revokedApiKeyHashes;
        /// Never cleared. A hash without a record among its account's `usageApiKeys` was removed, for ever; that
        /// is not in `revokedApiKeyHashes`, where a stranger could mark the hash of a wallet by registering and
        /// removing it as a usage key.
        mapping(uint256 usageApiKeyHash => uint256 accountHash) usageApiKeyHashToMaster;
        /// The account that a wallet is or was admin of. Never cleared, so ownership cannot come back to a wallet.
        mapping(address wallet => uint256 accountHash) everAdminOf;
        EnumerableSet.AddressSet apiPayers;
        mapping(string key => string value) nodeConfiguration;
        /// EIP-712 digests that were acted on: a signed proof is good for one write.
        mapping(bytes32 digest => bool) usedTypedDataDigests;
    }

    function state() internal pure returns (Layout storage l) {
        bytes32 slot = SLOT;
        assembly {
            l.slot := slot
        }
    }
}
