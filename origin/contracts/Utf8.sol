// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Whether a text is UTF-8 (RFC 3629; the table of well-formed byte sequences is Unicode's 3-7).
library Utf8 {
    uint256 private constant HIGH_BITS = 0x8080808080808080808080808080808080808080808080808080808080808080;

    /// @dev 32 bytes a step where all are ASCII, else a character a step.
    function isValid(string calldata text) internal pure returns (bool) {
        uint256 length = bytes(text).length;
        uint256 i;
        while (i < length) {
            uint256 word;
            assembly {
                word := calldataload(add(text.offset, i))
            }
            // What lies behind the text is no part of it: as zeros, it continues no sequence.
            if (length - i < 32) word &= ~(type(uint256).max >> ((length - i) * 8));
            if (word & HIGH_BITS == 0) {
                i += 32;
                continue;
            }
            uint256 size = _sequence(word);
            if (size == 0) return false;
            i += size;
        }
        return true;
    }

    /// @return the bytes of the character that `word` begins with, 0 when it begins with none
    function _sequence(uint256 word) private pure returns (uint256) {
        uint256 lead = word >> 248;
        if (lead < 0x80) return 1;
        uint256 second = (word >> 240) & 0xff;
        // Shorter forms exist for what C0 and C1 begin; nothing in Unicode needs F5 or more.
        if (lead < 0xc2 || lead > 0xf4 || second & 0xc0 != 0x80) return 0;
        if (lead < 0xe0) return 2;
        if ((word >> 232) & 0xc0 != 0x80) return 0;
        if (lead < 0xf0) {
            // E0: no overlong forms. ED: no surrogates.
            bool excluded = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f);
            return excluded ? 0 : 3;
        }
        if ((word >> 224) & 0xc0 != 0x80) return 0;
        // F0: no overlong forms. F4: nothing above U+10FFFF.
        return (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f) ? 0 : 4;
    }
}
