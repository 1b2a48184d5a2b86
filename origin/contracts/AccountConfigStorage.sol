// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {UsageApiKey} from "./AccountConfigTypes.sol";

/// @title Where every facet keeps its state: one ERC-7201 namespace.
/// @dev The diamond outlives its facets. A member may be appended to `Layout` and to the structs that are values of
/// a mapping; none may be moved, retyped or removed. `UsageApiKey` grows too, so it is the last member of its record.
library AccountConfigStorage {
    /// keccak256(abi.encode(uint256(keccak256("svc.storage.AccountConfig")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 internal constant SLOT = 0x515fc961bcdc1f12802254bb47941aac54acc7d63f2e6b9fff1502668b194d00;

    struct Wallet {
        bytes32 derivationPath;
        string name;
        string description;
    }

    struct Group {
        string name;
        string description;
        EnumerableSet.Bytes32Set pkpIds;
        EnumerableSet.UintSet cidHashes;
    }

    struct UsageApiKeyRecord {
        uint256 createdAt;
        UsageApiKey key;
    }

    struct Action {
        string cid;
        string name;
        string description;
    }

    /// Group membership and wallets are per account: what one account registers is no fact about another's.
    struct Account {
        address adminWallet;
        bool managed;
        uint40 createdAt;
        /// From 1, per account, never reused: a permission that names a removed group can never come alive.
        uint40 nextGroupId;
        string name;
        string description;
        /// Hashes beside the master's own that resolve to this account.
        EnumerableSet.UintSet aliasHashes;
        EnumerableSet.Bytes32Set pkpIds;
        mapping(bytes32 pkpId => Wallet) wallets;
        EnumerableSet.UintSet groupIds;
        mapping(uint256 groupId => Group) groups;
        EnumerableSet.UintSet usageApiKeyHashes;
        mapping(uint256 usageApiKeyHash => UsageApiKeyRecord) usageApiKeys;
        EnumerableSet.UintSet cidHashes;
        mapping(uint256 cidHash => Action) actions;
    }

    /// @custom:storage-location erc7201:svc.storage.AccountConfig
    struct Layout {
        mapping(uint256 accountHash => Account) accounts;
        /// The master's own hash is in it too: an account exists when its hash resolves to itself.
        mapping(uint256 apiKeyHash => uint256 accountHash) allApiKeyHashesToMaster;
        /// Rotated account keys. Never cleared: a revoked hash cannot come back.
        mapping(uint256 apiKeyHash => bool) revokedApiKeyHashes;
        /// Never cleared. A hash that is no more among its account's `usageApiKeyHashes` was removed, for ever; that
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
