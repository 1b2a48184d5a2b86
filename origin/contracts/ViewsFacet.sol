// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {AccountAccess} from "./AccountAccess.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {
    AccountView,
    ActionView,
    ApiKeyHashView,
    GroupView,
    UsageApiKeyView,
    WalletView
} from "./AccountConfigTypes.sol";

/// @title Reads. They cost no gas when called, so an account is answered whole, whatever its size.
contract ViewsFacet is AccountAccess {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;
    using EnumerableSet for EnumerableSet.UintSet;

    /// @notice The account that `apiKeyHash` names, itself or as an alias, with everything in it.
    function accountOf(uint256 apiKeyHash) external view returns (AccountView memory v) {
        v.accountHash = _resolve(apiKeyHash);
        Storage.Account storage account = Storage.state().accounts[v.accountHash];
        v.managed = account.managed;
        v.adminWallet = account.adminWallet;
        v.name = account.name;
        v.description = account.description;
        v.createdAt = account.createdAt;
        v.nextGroupId = account.nextGroupId;
        v.apiKeyHashes = _apiKeyHashes(v.accountHash, account);
        v.wallets = _wallets(account);
        v.groups = _groups(account);
        v.usageApiKeys = _usageApiKeys(account);
        v.actions = _actions(account);
    }

    /// @return accountHash the master hash that `apiKeyHash` resolves to, 0 when it is no account's
    function masterOf(uint256 apiKeyHash) external view returns (uint256 accountHash) {
        return Storage.state().allApiKeyHashesToMaster[apiKeyHash];
    }

    function isApiPayer(address payer) external view returns (bool) {
        return Storage.state().apiPayers.contains(payer);
    }

    function apiPayers() external view returns (address[] memory) {
        return Storage.state().apiPayers.values();
    }

    /// @return the value, empty when it was never set
    function nodeConfiguration(string calldata key) external view returns (string memory) {
        return Storage.state().nodeConfiguration[key];
    }

    function _apiKeyHashes(uint256 accountHash, Storage.Account storage account)
        private
        view
        returns (ApiKeyHashView[] memory hashes)
    {
        mapping(uint256 => bool) storage revoked = Storage.state().revokedApiKeyHashes;
        uint256[] memory aliases = account.aliasHashes.values();
        hashes = new ApiKeyHashView[](aliases.length + 1);
        hashes[0] = ApiKeyHashView(accountHash, revoked[accountHash]);
        for (uint256 i; i < aliases.length; ++i) {
            hashes[i + 1] = ApiKeyHashView(aliases[i], revoked[aliases[i]]);
        }
    }

    function _wallets(Storage.Account storage account) private view returns (WalletView[] memory wallets) {
        bytes32[] memory ids = account.pkpIds.values();
        wallets = new WalletView[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            Storage.Wallet storage w = account.wallets[ids[i]];
            wallets[i] = WalletView(ids[i], w.derivationPath, w.name, w.description);
        }
    }

    function _groups(Storage.Account storage account) private view returns (GroupView[] memory groups) {
        uint256[] memory ids = account.groupIds.values();
        groups = new GroupView[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            Storage.Group storage g = account.groups[ids[i]];
            groups[i] = GroupView(ids[i], g.name, g.description, g.pkpIds.values(), g.cidHashes.values());
        }
    }

    function _usageApiKeys(Storage.Account storage account) private view returns (UsageApiKeyView[] memory keys) {
        uint256[] memory hashes = account.usageApiKeyHashes.values();
        keys = new UsageApiKeyView[](hashes.length);
        for (uint256 i; i < hashes.length; ++i) {
            Storage.UsageApiKeyRecord storage record = account.usageApiKeys[hashes[i]];
            keys[i] = UsageApiKeyView(hashes[i], record.createdAt, record.key);
        }
    }

    function _actions(Storage.Account storage account) private view returns (ActionView[] memory actions) {
        uint256[] memory hashes = account.cidHashes.values();
        actions = new ActionView[](hashes.length);
        for (uint256 i; i < hashes.length; ++i) {
            Storage.Action storage a = account.actions[hashes[i]];
            actions[i] = ActionView(hashes[i], a.cid, a.name, a.description);
        }
    }
}
