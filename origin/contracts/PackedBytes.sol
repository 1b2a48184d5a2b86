// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Bytes that begin in the unused part of a slot and continue in words of their own.
/// @dev The caller stores the length, and the first `room` bytes in a member of its struct.
library PackedBytes {
    /// @dev Writes all bytes but the first `room`, and clears the words that only the previous value used.
    /// @return start the first bytes; the caller keeps `room` of them
    function store(
        mapping(uint256 word => bytes32) storage rest,
        uint256 room,
        bytes memory data,
        uint256 previousLength
    ) internal returns (bytes32 start) {
        start = _wordAt(data, 0);
        uint256 word;
        for (uint256 offset = room; offset < data.length || offset < previousLength; offset += 32) {
            rest[word++] = _wordAt(data, offset);
        }
    }

    function load(mapping(uint256 word => bytes32) storage rest, uint256 room, bytes32 start, uint256 length)
        internal
        view
        returns (bytes memory data)
    {
        // The last word may extend beyond the end, into the 32 additional bytes.
        data = new bytes(length + 32);
        assembly ("memory-safe") {
            mstore(add(data, 32), start)
        }
        uint256 word;
        for (uint256 offset = room; offset < length; offset += 32) {
            bytes32 value = rest[word++];
            assembly ("memory-safe") {
                mstore(add(add(data, 32), offset), value)
            }
        }
        assembly ("memory-safe") {
            mstore(data, length)
        }
    }

    /// @dev Reads a name that is followed by a description.
    function loadTexts(
        mapping(uint256 word => bytes32) storage rest,
        uint256 room,
        bytes32 start,
        uint256 nameLength,
        uint256 descriptionLength
    ) internal view returns (string memory name, string memory description) {
        bytes memory data = load(rest, room, start, nameLength + descriptionLength);
        name = slice(data, 0, nameLength);
        description = slice(data, nameLength, descriptionLength);
    }

    /// @dev The part must lie within `data`: this is not checked.
    function slice(bytes memory data, uint256 offset, uint256 length) internal pure returns (string memory part) {
        part = new string(length);
        assembly ("memory-safe") {
            mcopy(add(part, 32), add(add(data, 32), offset), length)
        }
    }

    /// @return word 32 bytes from `offset` on; zeros beyond the end
    function _wordAt(bytes memory data, uint256 offset) private pure returns (bytes32 word) {
        if (offset >= data.length) return 0;
        uint256 available = data.length - offset;
        assembly ("memory-safe") {
            word := mload(add(add(data, 32), offset))
        }
        if (available < 32) word &= ~bytes32(type(uint256).max >> (available * 8));
    }
}
