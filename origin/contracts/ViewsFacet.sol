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

    /// @notice One group of the account that `apiKeyHash` names.
    function groupOf(uint256 apiKeyHash, uint256 groupId) external view returns (GroupView memory) {
        uint256 accountHash = _resolve(apiKeyHash);
        Storage.Account storage account = Storage.state().accounts[accountHash];
        if (!account.groupIds.contains(groupId)) revert GroupDoesNotExist(accountHash, groupId);
        return _groupView(account, groupId);
    }

    /// @notice May this key run this action with this wallet: a group in which it may execute permits both.
    /// @param apiKeyHash a usage key's hash, or that of a managed account's own key, which may execute in all groups
    /// and, without a wallet, run what no group permits; of anything else the answer is no
    /// @param pkpId 0: asks for the action alone
    function mayExecute(uint256 apiKeyHash, uint256 cidHash, bytes32 pkpId) external view returns (bool) {
        Storage.Layout storage l = Storage.state();
        uint256 accountHash = l.allApiKeyHashesToMaster[apiKeyHash];
        if (accountHash != 0 && l.accounts[accountHash].managed) {
            if (l.revokedApiKeyHashes[apiKeyHash]) return false;
            return pkpId == 0 || _anyGroupPermits(l.accounts[accountHash], cidHash, pkpId);
        }
        accountHash = l.usageApiKeyHashToMaster[apiKeyHash];
        if (accountHash == 0) return false;
        Storage.Account storage account = l.accounts[accountHash];
        if (!account.usageApiKeyHashes.contains(apiKeyHash)) return false;
        uint256[] storage groupIds = account.usageApiKeys[apiKeyHash].key.executeInGroups;
        if (_reaches(groupIds, 0)) return _anyGroupPermits(account, cidHash, pkpId);
        for (uint256 i; i < groupIds.length; ++i) {
            uint256 groupId = groupIds[i];
            if (account.groupIds.contains(groupId) && _permits(account, groupId, cidHash, pkpId)) return true;
        }
        return false;
    }

    /// @return accountHash the master hash that `apiKeyHash` resolves to, 0 when it is no account's
    function masterOf(uint256 apiKeyHash) external view returns (uint256 accountHash) {
        return Storage.state().allApiKeyHashesToMaster[apiKeyHash];
    }

    /// @notice The mapping of the same name: the master hash of a master hash or an alias, 0 for an unknown hash.
    function allApiKeyHashesToMaster(uint256 apiKeyHash) external view returns (uint256 accountHash) {
        return Storage.state().allApiKeyHashesToMaster[apiKeyHash];
    }

    /// @notice The admin wallet of the account that `apiKeyHash` names, itself or as an alias.
    /// @return the zero address for an unknown hash
    function adminWalletAddress(uint256 apiKeyHash) external view returns (address) {
        Storage.Layout storage l = Storage.state();
        return l.accounts[l.allApiKeyHashesToMaster[apiKeyHash]].adminWallet;
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
            groups[i] = _groupView(account, ids[i]);
        }
    }

    function _groupView(Storage.Account storage account, uint256 groupId) private view returns (GroupView memory) {
        Storage.Group storage g = account.groups[groupId];
        return GroupView(groupId, g.name, g.description, g.pkpIds.values(), g.cidHashes.values());
    }

    function _anyGroupPermits(Storage.Account storage account, uint256 cidHash, bytes32 pkpId)
        private
        view
        returns (bool)
    {
        uint256 count = account.groupIds.length();
        for (uint256 i; i < count; ++i) {
            if (_permits(account, account.groupIds.at(i), cidHash, pkpId)) return true;
        }
        return false;
    }

    function _permits(Storage.Account storage account, uint256 groupId, uint256 cidHash, bytes32 pkpId)
        private
        view
        returns (bool)
    {
        Storage.Group storage g = account.groups[groupId];
        if (!g.cidHashes.contains(cidHash) && !g.cidHashes.contains(0)) return false;
        if (pkpId == 0) return true;
        return account.pkpIds.contains(pkpId) && (g.pkpIds.contains(pkpId) || g.pkpIds.contains(0));
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
