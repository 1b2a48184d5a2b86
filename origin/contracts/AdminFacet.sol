// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {OwnableInternal} from "@solidstate/contracts/access/ownable/OwnableInternal.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {IAccountConfigErrors} from "./IAccountConfigErrors.sol";
import {IAccountConfigEvents} from "./IAccountConfigEvents.sol";

/// @title What the diamond's owner sets: who pays for managed accounts, and what nodes should know.
contract AdminFacet is OwnableInternal, IAccountConfigErrors, IAccountConfigEvents {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// Bounds the gas of one write.
    uint256 private constant PAYERS_MAX = 50;

    /// @notice Lets each of `payers` write managed accounts, or no longer.
    function setApiPayers(address[] calldata payers, bool allowed) external onlyOwner {
        if (payers.length > PAYERS_MAX) revert TooManyIds("payers", payers.length, PAYERS_MAX);
        EnumerableSet.AddressSet storage apiPayers = Storage.state().apiPayers;
        for (uint256 i; i < payers.length; ++i) {
            if (payers[i] == address(0)) revert InvalidRequest("payer is the zero address");
            if (allowed) apiPayers.add(payers[i]);
            else apiPayers.remove(payers[i]);
            emit ApiPayerSet(payers[i], allowed);
        }
    }

    /// @notice Reverts unless the contract stores its state in the layout of these facets. An upgrade calls this within
    /// its transaction, because facets of another layout would find no accounts.
    function checkStorageLayout() external view {
        if (Storage.state().version != Storage.VERSION) {
            revert InvalidRequest("the contract has another storage layout");
        }
    }

    /// @notice Sets one value of the node configuration; the empty value unsets it.
    function setNodeConfiguration(string calldata key, string calldata value) external onlyOwner {
        Storage.state().nodeConfiguration[key] = value;
        emit NodeConfigurationSet(key, value);
    }
}
