// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {IAccountConfigErrors} from "./IAccountConfigErrors.sol";

/// @title Which account a hash names, and who may write it.
abstract contract AccountAccess is IAccountConfigErrors {
    using EnumerableSet for EnumerableSet.AddressSet;

    modifier onlyApiPayer() {
        if (!Storage.state().apiPayers.contains(msg.sender)) revert NotApiPayer(msg.sender);
        _;
    }

    /// @dev A managed account is written by an api payer alone, for its owner holds an API key and no wallet; an
    /// unmanaged one by its admin wallet alone, so that the service's own payers have no authority there. The
    /// diamond's owner is neither.
    modifier onlyPayerIfManagedElseOnlyAdmin(uint256 apiKeyHash) {
        uint256 accountHash = _resolve(apiKeyHash);
        Storage.Account storage account = Storage.state().accounts[accountHash];
        bool allowed = account.managed
            ? Storage.state().apiPayers.contains(msg.sender)
            : account.adminWallet == msg.sender;
        if (!allowed) revert NoAccountAccess(accountHash, msg.sender);
        _;
    }

    /// @return accountHash the master hash that `apiKeyHash`, itself or as an alias, names
    function _resolve(uint256 apiKeyHash) internal view returns (uint256 accountHash) {
        accountHash = Storage.state().allApiKeyHashesToMaster[apiKeyHash];
        if (accountHash == 0) revert AccountDoesNotExist(apiKeyHash);
    }
}
