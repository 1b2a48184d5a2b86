// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title A set of 32-byte IDs, zero included, with constant-time membership.
/// @dev Differs from OpenZeppelin's EnumerableSet in two ways that save storage. The caller stores the number of IDs,
/// in a slot that it shares with other fields. The first `SEARCHED` IDs have no position: they are found by comparison.
library IdSet {
    uint256 private constant SEARCHED = 2;

    struct Set {
        /// Entries at or above the count are left over from earlier members, and must not be read.
        mapping(uint256 index => bytes32) ids;
        /// Index plus 1 of each member from index `SEARCHED` on. 0 for every other ID.
        mapping(bytes32 id => uint256) positions;
    }

    function contains(Set storage set, uint256 count, bytes32 id) internal view returns (bool) {
        return _position(set, count, id) != 0;
    }

    /// @return the new count, which is `count` if the set already has the ID
    function add(Set storage set, uint256 count, bytes32 id) internal returns (uint256) {
        if (contains(set, count, id)) return count;
        set.ids[count] = id;
        if (count >= SEARCHED) set.positions[id] = count + 1;
        return count + 1;
    }

    /// @return the new count, which is `count` if the set does not have the ID
    function remove(Set storage set, uint256 count, bytes32 id) internal returns (uint256) {
        uint256 position = _position(set, count, id);
        if (position == 0) return count;
        if (position > SEARCHED) delete set.positions[id];
        if (position != count) {
            bytes32 last = set.ids[count - 1];
            set.ids[position - 1] = last;
            if (count > SEARCHED) set.positions[last] = position > SEARCHED ? position : 0;
        }
        delete set.ids[count - 1];
        return count - 1;
    }

    /// @dev Removes all IDs. The caller sets the count to 0.
    function clear(Set storage set, uint256 count) internal {
        for (uint256 i = SEARCHED; i < count; ++i) {
            delete set.positions[set.ids[i]];
        }
    }

    function values(Set storage set, uint256 count) internal view returns (bytes32[] memory ids) {
        ids = new bytes32[](count);
        for (uint256 i; i < count; ++i) {
            ids[i] = set.ids[i];
        }
    }

    function _position(Set storage set, uint256 count, bytes32 id) private view returns (uint256) {
        for (uint256 i; i < count && i < SEARCHED; ++i) {
            if (set.ids[i] == id) return i + 1;
        }
        return count > SEARCHED ? set.positions[id] : 0;
    }
}
