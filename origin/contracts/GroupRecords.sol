// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {IdSet} from "./IdSet.sol";
import {PackedBytes} from "./PackedBytes.sol";

/// @title Reads and writes the records of groups.
library GroupRecords {
    using IdSet for IdSet.Set;

    /// @dev The caller checks the lengths: they are not checked here.
    function storeTexts(Storage.Group storage group, string memory name, string memory description) internal {
        bytes memory data = bytes.concat(bytes(name), bytes(description));
        bytes32 start = PackedBytes.store(group.rest, Storage.GROUP_START, data, _bytesOf(group));
        group.nameLength = uint16(bytes(name).length);
        group.descriptionLength = uint16(bytes(description).length);
        group.start = bytes24(start);
    }

    function loadTexts(Storage.Group storage group)
        internal
        view
        returns (string memory name, string memory description)
    {
        return PackedBytes.loadTexts(
            group.rest, Storage.GROUP_START, group.start, group.nameLength, group.descriptionLength
        );
    }

    function pkpIdList(Storage.Group storage group) internal view returns (bytes32[] memory) {
        return group.pkpIds.values(group.pkpCount);
    }

    function cidHashList(Storage.Group storage group) internal view returns (uint256[] memory ids) {
        bytes32[] memory values = group.cidHashes.values(group.cidCount);
        assembly ("memory-safe") {
            ids := values
        }
    }

    function _bytesOf(Storage.Group storage group) private view returns (uint256) {
        return uint256(group.nameLength) + group.descriptionLength;
    }
}
