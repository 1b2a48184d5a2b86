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
import {ActionRecords} from "./ActionRecords.sol";
import {GroupRecords} from "./GroupRecords.sol";
import {IdSet} from "./IdSet.sol";
import {PackedBytes} from "./PackedBytes.sol";
import {UsageApiKeyRecords} from "./UsageApiKeyRecords.sol";

/// @title Reads. They cost no gas when called, so an account is answered whole, whatever its size.
contract ViewsFacet is AccountAccess {
    using EnumerableSet for EnumerableSet.AddressSet;
    using ActionRecords for Storage.Account;
    using GroupRecords for Storage.Group;
    using IdSet for IdSet.Set;
    using UsageApiKeyRecords for Storage.UsageApiKeyRecord;

    /// @notice The account that `apiKeyHash` names, itself or as an alias, with everything in it.
    function accountOf(uint256 apiKeyHash) external view returns (AccountView memory v) {
        v.accountHash = _resolve(apiKeyHash);
        Storage.Account storage account = Storage.state().accounts[v.accountHash];
        v.managed = account.managed;
        v.adminWallet = account.adminWallet;
        (v.name, v.description) = PackedBytes.loadTexts(
            account.rest, Storage.ACCOUNT_START, account.start, account.nameLength, account.descriptionLength
        );
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
        if (!_groupExists(account, groupId)) revert GroupDoesNotExist(accountHash, groupId);
        return _groupView(account, groupId);
    }

    /// @notice May this key run this action with this wallet: a group in which it may execute permits both.
    /// @param apiKeyHash a usage key's hash, or that of a managed account's own key, which may execute in all groups
    /// and, without a wallet, run what no group permits; of anything else the answer is no
    /// @param pkpId 0: asks for the action alone
    function mayExecute(uint256 apiKeyHash, uint256 cidHash, bytes32 pkpId) external view returns (bool) {
        Storage.Layout storage l = Storage.state();
        uint256 accountHash = _masterOf(apiKeyHash);
        if (accountHash != 0 && l.accounts[accountHash].managed) {
            if (l.revokedApiKeyHashes[apiKeyHash]) return false;
            return pkpId == 0 || _anyGroupPermits(l.accounts[accountHash], cidHash, pkpId);
        }
        accountHash = l.usageApiKeyHashToMaster[apiKeyHash];
        if (accountHash == 0) return false;
        Storage.Account storage account = l.accounts[accountHash];
        Storage.UsageApiKeyRecord storage record = account.usageApiKeys[apiKeyHash];
        if (record.position == 0) return false;
        uint256[] memory groupIds = record.groupIds(UsageApiKeyRecords.EXECUTE_IN_GROUPS);
        if (_reaches(groupIds, 0)) return _anyGroupPermits(account, cidHash, pkpId);
        for (uint256 i; i < groupIds.length; ++i) {
            uint256 groupId = groupIds[i];
            if (_groupExists(account, groupId) && _permits(account, groupId, cidHash, pkpId)) return true;
        }
        return false;
    }

    /// @return accountHash the master hash that `apiKeyHash` resolves to, 0 when it is no account's
    function masterOf(uint256 apiKeyHash) external view returns (uint256 accountHash) {
        return _masterOf(apiKeyHash);
    }

    /// @notice The mapping of the same name: the master hash of a master hash or an alias, 0 for an unknown hash.
    function allApiKeyHashesToMaster(uint256 apiKeyHash) external view returns (uint256 accountHash) {
        return _masterOf(apiKeyHash);
    }

    /// @notice The admin wallet of the account that `apiKeyHash` names, itself or as an alias.
    /// @return the zero address for an unknown hash
    function adminWalletAddress(uint256 apiKeyHash) external view returns (address) {
        return Storage.state().accounts[_masterOf(apiKeyHash)].adminWallet;
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
        uint256[] memory aliases = account.aliasHashes;
        hashes = new ApiKeyHashView[](aliases.length + 1);
        hashes[0] = ApiKeyHashView(accountHash, revoked[accountHash]);
        for (uint256 i; i < aliases.length; ++i) {
            hashes[i + 1] = ApiKeyHashView(aliases[i], revoked[aliases[i]]);
        }
    }

    function _wallets(Storage.Account storage account) private view returns (WalletView[] memory wallets) {
        wallets = new WalletView[](account.walletCount);
        for (uint256 i; i < wallets.length; ++i) {
            bytes32 id = account.pkpIds[i];
            Storage.Wallet storage w = account.wallets[id];
            (string memory name, string memory description) = PackedBytes.loadTexts(
                w.rest, Storage.WALLET_START, w.start, w.nameLength, w.descriptionLength
            );
            wallets[i] = WalletView(id, w.derivationPath, name, description);
        }
    }

    function _groups(Storage.Account storage account) private view returns (GroupView[] memory groups) {
        uint256 count;
        for (uint256 id = _groupAfter(account, 0); id != 0; id = _groupAfter(account, id)) {
            ++count;
        }
        groups = new GroupView[](count);
        uint256 groupId;
        for (uint256 i; i < count; ++i) {
            groupId = _groupAfter(account, groupId);
            groups[i] = _groupView(account, groupId);
        }
    }

    function _groupView(Storage.Account storage account, uint256 groupId) private view returns (GroupView memory) {
        Storage.Group storage g = account.groups[groupId];
        (string memory name, string memory description) = g.loadTexts();
        return GroupView(groupId, name, description, g.pkpIdList(), g.cidHashList());
    }

    function _anyGroupPermits(Storage.Account storage account, uint256 cidHash, bytes32 pkpId)
        private
        view
        returns (bool)
    {
        for (uint256 id = _groupAfter(account, 0); id != 0; id = _groupAfter(account, id)) {
            if (_permits(account, id, cidHash, pkpId)) return true;
        }
        return false;
    }

    function _permits(Storage.Account storage account, uint256 groupId, uint256 cidHash, bytes32 pkpId)
        private
        view
        returns (bool)
    {
        Storage.Group storage g = account.groups[groupId];
        (uint256 cids, uint256 pkps) = (g.cidCount, g.pkpCount);
        if (!g.cidHashes.contains(cids, bytes32(cidHash)) && !g.cidHashes.contains(cids, 0)) return false;
        if (pkpId == 0) return true;
        return account.wallets[pkpId].derivationPath != 0
            && (g.pkpIds.contains(pkps, pkpId) || g.pkpIds.contains(pkps, 0));
    }

    function _usageApiKeys(Storage.Account storage account) private view returns (UsageApiKeyView[] memory keys) {
        keys = new UsageApiKeyView[](account.usageApiKeyCount);
        for (uint256 i; i < keys.length; ++i) {
            uint256 hash = account.usageApiKeyHashes[i];
            Storage.UsageApiKeyRecord storage record = account.usageApiKeys[hash];
            keys[i] = UsageApiKeyView(hash, record.createdAt, record.load());
        }
    }

    function _actions(Storage.Account storage account) private view returns (ActionView[] memory actions) {
        actions = new ActionView[](account.actionCount);
        for (uint256 i; i < actions.length; ++i) {
            uint256 hash = account.cidHashes[i];
            (string memory cid, string memory name, string memory description) = account.load(hash);
            actions[i] = ActionView(hash, cid, name, description);
        }
    }
}
