// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccountConfigErrors} from "./IAccountConfigErrors.sol";
import {Utf8} from "./Utf8.sol";

/// @title How large an input may be. shared/limits.ts says the same to clients.
/// @dev Without these, whoever pays for an account of their own could fill the memory of every node that mirrors it.
abstract contract InputLimits is IAccountConfigErrors {
    /// Ids in one array of one call: bounds the gas of a write.
    uint256 internal constant IDS_MAX = 50;
    /// Wallets, and actions, of one group: it can still be replaced as a whole within a block.
    uint256 internal constant GROUP_IDS_MAX = 500;
    /// Bytes of UTF-8: 256 characters of the longest form.
    uint256 internal constant NAME_BYTES_MAX = 1024;
    /// Bytes of UTF-8: 1,024 characters of the longest form. At some 700 gas a byte, four times as many were half a block.
    uint256 internal constant DESCRIPTION_BYTES_MAX = 4096;
    /// A CIDv0 has 46 characters; other encodings of a CID stay below this.
    uint256 internal constant CID_BYTES_MAX = 128;
    /// Maximum delay of changes to a policy.
    uint256 internal constant CHANGE_DELAY_MAX = 90 days;

    function _requireIds(string memory field, uint256 given) internal pure {
        if (given > IDS_MAX) revert TooManyIds(field, given, IDS_MAX);
    }

    function _requireTexts(string calldata name, string calldata description) internal pure {
        _requireText("name", name, NAME_BYTES_MAX);
        _requireText("description", description, DESCRIPTION_BYTES_MAX);
    }

    function _requireCid(string calldata cid) internal pure {
        if (bytes(cid).length == 0) revert InvalidRequest("cid is empty");
        _requireText("cid", cid, CID_BYTES_MAX);
    }

    /// @dev Decoders refuse a string that is not UTF-8: one in an event, that anyone with a wallet can send, would
    /// stop every mirror that reads it.
    function _requireText(string memory field, string calldata text, uint256 most) private pure {
        if (bytes(text).length > most) revert TooLong(field, bytes(text).length, most);
        if (!Utf8.isValid(text)) revert InvalidRequest(string.concat(field, " is not UTF-8"));
    }
}
