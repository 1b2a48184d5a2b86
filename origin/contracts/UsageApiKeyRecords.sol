// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {UsageApiKey} from "./AccountConfigTypes.sol";
import {PackedBytes} from "./PackedBytes.sol";

/// @title Converts a usage key's permissions to and from their record.
/// @dev A group ID takes 4 bytes, because `nextGroupId` is a uint32 and keys only list IDs below it.
library UsageApiKeyRecords {
    uint8 internal constant CAN_CREATE_GROUPS = 1;
    uint8 internal constant CAN_DELETE_GROUPS = 2;
    uint8 internal constant CAN_CREATE_PKPS = 4;

    /// Indexes of the lists, in the order of the members of `UsageApiKey`.
    uint256 internal constant MANAGE_IPFS_IDS_IN_GROUPS = 0;
    uint256 internal constant ADD_PKP_TO_GROUPS = 1;
    uint256 internal constant REMOVE_PKP_FROM_GROUPS = 2;
    uint256 internal constant EXECUTE_IN_GROUPS = 3;

    uint256 private constant LISTS = 4;
    uint256 private constant ID_BYTES = 4;

    /// @dev Replaces the permissions, and keeps `createdAt` and `position`. The caller checks the limits of lengths and
    /// IDs: they are not checked here.
    function store(Storage.UsageApiKeyRecord storage record, UsageApiKey memory key) internal {
        bytes memory data = bytes.concat(
            _encode(key.manageIpfsIdsInGroups),
            _encode(key.addPkpToGroups),
            _encode(key.removePkpFromGroups),
            _encode(key.executeInGroups),
            bytes(key.name),
            bytes(key.description)
        );
        bytes32 start = PackedBytes.store(record.rest, Storage.USAGE_API_KEY_START, data, _bytesOf(record));
        record.flags = (key.canCreateGroups ? CAN_CREATE_GROUPS : 0) | (key.canDeleteGroups ? CAN_DELETE_GROUPS : 0)
            | (key.canCreatePkps ? CAN_CREATE_PKPS : 0);
        record.listLengths = uint32(
            key.manageIpfsIdsInGroups.length | (key.addPkpToGroups.length << 8) | (key.removePkpFromGroups.length << 16)
                | (key.executeInGroups.length << 24)
        );
        record.nameLength = uint16(bytes(key.name).length);
        record.descriptionLength = uint16(bytes(key.description).length);
        record.start = bytes14(start);
    }

    /// @dev Removes the key, so that its position is 0.
    function clear(Storage.UsageApiKeyRecord storage record) internal {
        PackedBytes.store(record.rest, Storage.USAGE_API_KEY_START, "", _bytesOf(record));
        record.createdAt = 0;
        record.position = 0;
        record.flags = 0;
        record.listLengths = 0;
        record.nameLength = 0;
        record.descriptionLength = 0;
        record.start = 0;
    }

    function load(Storage.UsageApiKeyRecord storage record) internal view returns (UsageApiKey memory key) {
        bytes memory data = PackedBytes.load(record.rest, Storage.USAGE_API_KEY_START, record.start, _bytesOf(record));
        uint8 flags = record.flags;
        key.canCreateGroups = flags & CAN_CREATE_GROUPS != 0;
        key.canDeleteGroups = flags & CAN_DELETE_GROUPS != 0;
        key.canCreatePkps = flags & CAN_CREATE_PKPS != 0;
        uint32 lengths = record.listLengths;
        key.manageIpfsIdsInGroups = _decode(data, lengths, MANAGE_IPFS_IDS_IN_GROUPS);
        key.addPkpToGroups = _decode(data, lengths, ADD_PKP_TO_GROUPS);
        key.removePkpFromGroups = _decode(data, lengths, REMOVE_PKP_FROM_GROUPS);
        key.executeInGroups = _decode(data, lengths, EXECUTE_IN_GROUPS);
        uint256 offset = _idsBefore(lengths, LISTS) * ID_BYTES;
        key.name = PackedBytes.slice(data, offset, record.nameLength);
        key.description = PackedBytes.slice(data, offset + record.nameLength, record.descriptionLength);
    }

    /// @return one list, without reading what is stored behind it
    function groupIds(Storage.UsageApiKeyRecord storage record, uint256 list)
        internal
        view
        returns (uint256[] memory)
    {
        uint32 lengths = record.listLengths;
        uint256 end = _idsBefore(lengths, list + 1) * ID_BYTES;
        return _decode(PackedBytes.load(record.rest, Storage.USAGE_API_KEY_START, record.start, end), lengths, list);
    }

    function _bytesOf(Storage.UsageApiKeyRecord storage record) private view returns (uint256) {
        return _idsBefore(record.listLengths, LISTS) * ID_BYTES + record.nameLength + record.descriptionLength;
    }

    /// @return count the IDs in all lists before `list`
    function _idsBefore(uint32 lengths, uint256 list) private pure returns (uint256 count) {
        for (uint256 i; i < list; ++i) {
            count += uint8(lengths >> (8 * i));
        }
    }

    function _encode(uint256[] memory ids) private pure returns (bytes memory data) {
        uint256 length = ids.length * ID_BYTES;
        // Each write is a whole word, the last one beyond the end.
        data = new bytes(length + 32);
        for (uint256 i; i < ids.length; ++i) {
            uint256 id = ids[i];
            assembly ("memory-safe") {
                mstore(add(add(data, 32), mul(i, 4)), shl(224, id))
            }
        }
        assembly ("memory-safe") {
            mstore(data, length)
        }
    }

    function _decode(bytes memory data, uint32 lengths, uint256 list) private pure returns (uint256[] memory ids) {
        uint256 first = _idsBefore(lengths, list);
        ids = new uint256[](uint8(lengths >> (8 * list)));
        for (uint256 i; i < ids.length; ++i) {
            uint256 offset = (first + i) * ID_BYTES;
            uint256 id;
            assembly ("memory-safe") {
                id := shr(224, mload(add(add(data, 32), offset)))
            }
            ids[i] = id;
        }
    }
}
