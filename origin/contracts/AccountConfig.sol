// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {OwnableInternal} from "@solidstate/contracts/access/ownable/OwnableInternal.sol";
import {SafeOwnable} from "@solidstate/contracts/access/ownable/SafeOwnable.sol";
import {IERC165} from "@solidstate/contracts/interfaces/IERC165.sol";
import {IERC173} from "@solidstate/contracts/interfaces/IERC173.sol";
import {IERC2535DiamondCut} from "@solidstate/contracts/interfaces/IERC2535DiamondCut.sol";
import {IERC2535DiamondLoupe} from "@solidstate/contracts/interfaces/IERC2535DiamondLoupe.sol";
import {ERC165Base} from "@solidstate/contracts/introspection/ERC165/base/ERC165Base.sol";
import {DiamondBase} from "@solidstate/contracts/proxy/diamond/base/DiamondBase.sol";
import {DiamondReadable} from "@solidstate/contracts/proxy/diamond/readable/DiamondReadable.sol";
import {DiamondWritable} from "@solidstate/contracts/proxy/diamond/writable/DiamondWritable.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";

/// @title The AccountConfig diamond (EIP-2535): accounts, keys, groups and wallets, the truth of permissions.
/// @dev Put together from parts rather than from SolidStateDiamond, which also takes plain ether, that nothing
/// could ever send on, and has a fallback facet, under which a call of an unknown function would not revert.
contract AccountConfig is DiamondBase, DiamondReadable, DiamondWritable, SafeOwnable, ERC165Base {
    /// @param facetCuts the facets to begin with
    /// @param calls made in order as the owner, each to the facet of its selector; in the constructor, so that there
    /// is no block in which the diamond is in service and has no payers
    constructor(FacetCut[] memory facetCuts, bytes[] memory calls) {
        _setOwner(msg.sender);
        Storage.state().version = Storage.VERSION;
        _addOwnFunctions();
        _diamondCut(facetCuts, address(0), "");
        for (uint256 i; i < calls.length; ++i) {
            Address.functionDelegateCall(_facetAddress(bytes4(calls[i])), calls[i]);
        }
    }

    /// @dev Registered on the diamond itself, these can be neither replaced nor removed: an upgrade cannot take
    /// away the owner, the cut or the loupe.
    function _addOwnFunctions() private {
        bytes4[] memory selectors = new bytes4[](10);
        selectors[0] = IERC2535DiamondCut.diamondCut.selector;
        selectors[1] = IERC2535DiamondLoupe.facets.selector;
        selectors[2] = IERC2535DiamondLoupe.facetFunctionSelectors.selector;
        selectors[3] = IERC2535DiamondLoupe.facetAddresses.selector;
        selectors[4] = IERC2535DiamondLoupe.facetAddress.selector;
        selectors[5] = IERC165.supportsInterface.selector;
        selectors[6] = IERC173.owner.selector;
        selectors[7] = IERC173.transferOwnership.selector;
        selectors[8] = SafeOwnable.nomineeOwner.selector;
        selectors[9] = SafeOwnable.acceptOwnership.selector;
        FacetCut[] memory own = new FacetCut[](1);
        own[0] = FacetCut(address(this), FacetCutAction.ADD, selectors);
        _diamondCut(own, address(0), "");

        _setSupportsInterface(type(IERC2535DiamondCut).interfaceId, true);
        _setSupportsInterface(type(IERC2535DiamondLoupe).interfaceId, true);
        _setSupportsInterface(type(IERC165).interfaceId, true);
        _setSupportsInterface(type(IERC173).interfaceId, true);
    }

    function _transferOwnership(address account) internal override(OwnableInternal, SafeOwnable) {
        super._transferOwnership(account);
    }
}
