// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title Who decides, and how many of them it takes.
abstract contract Members {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// @dev More would not be people who know each other.
    uint256 public constant MEMBERS_MAX = 32;

    /// @dev One member alone changes nothing.
    uint256 public constant THRESHOLD_MIN = 2;

    uint256 public threshold;
    EnumerableSet.AddressSet private _members;

    event MemberAdded(address indexed member);
    event MemberRemoved(address indexed member);
    event ThresholdSet(uint256 threshold);

    error NotMember(address caller);
    error InvalidMember(bytes32 subject);
    error InvalidThreshold(uint256 threshold, uint256 members);
    error TooManyMembers();

    modifier onlyMember() {
        if (!_members.contains(msg.sender)) revert NotMember(msg.sender);
        _;
    }

    constructor(address[] memory members_, uint256 threshold_) {
        for (uint256 i = 0; i < members_.length; i++) {
            _checkAddition(members_[i]);
            _addMember(members_[i]);
        }
        _checkThreshold(threshold_, members_.length);
        _setThreshold(threshold_);
    }

    function members() external view returns (address[] memory) {
        return _members.values();
    }

    function isMember(address account) external view returns (bool) {
        return _members.contains(account);
    }

    function memberCount() public view returns (uint256) {
        return _members.length();
    }

    function _checkAddition(address member) internal view {
        if (member == address(0) || _members.contains(member)) revert InvalidMember(_word(member));
        if (memberCount() == MEMBERS_MAX) revert TooManyMembers();
    }

    /// @dev Fewer members than the threshold could never decide anything again.
    function _checkRemoval(address member) internal view {
        if (!_members.contains(member)) revert InvalidMember(_word(member));
        _checkThreshold(threshold, memberCount() - 1);
    }

    function _checkThreshold(uint256 threshold_, uint256 members_) internal pure {
        if (threshold_ < THRESHOLD_MIN || threshold_ > members_) revert InvalidThreshold(threshold_, members_);
    }

    function _addMember(address member) internal {
        _members.add(member);
        emit MemberAdded(member);
    }

    function _removeMember(address member) internal {
        _members.remove(member);
        emit MemberRemoved(member);
    }

    function _setThreshold(uint256 threshold_) internal {
        threshold = threshold_;
        emit ThresholdSet(threshold_);
    }

    function _word(address member) private pure returns (bytes32) {
        return bytes32(uint256(uint160(member)));
    }
}
