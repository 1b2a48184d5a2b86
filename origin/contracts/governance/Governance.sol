// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAppAuth} from "./IAppAuth.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {Members} from "./Members.sol";

/// @title Which compositions may run as this application (specification, Attestation, verification rule 7).
/// Its address is the application's id. Every change of it, of its members too, is made by as many members as
/// `threshold` says: one proposes, others approve, and one of them executes.
contract Governance is Members, IAppAuth, IERC165 {
    enum Change {
        AllowComposeHash,
        WithdrawComposeHash,
        AddMember,
        RemoveMember,
        SetThreshold
    }

    struct Proposal {
        Change change;
        bytes32 subject;
        uint64 era;
        uint64 expiresAt;
        uint32 approvals;
    }

    /// @dev What was approved long ago was approved by people who knew less.
    uint64 public constant PROPOSAL_LASTS = 7 days;

    /// @notice SHA-256 of the compose text to whether it may run.
    mapping(bytes32 composeHash => bool) public allowedComposeHashes;

    /// @notice Counts the changes. A proposal is for the era that it was made in: members approve a change of what
    /// they see, and once anything has changed (a member left, a hash was withdrawn) they must approve it anew.
    uint64 public era;

    mapping(bytes32 id => Proposal) public proposals;
    mapping(bytes32 id => mapping(address member => bool)) public hasApproved;

    event Proposed(
        bytes32 indexed id, Change change, bytes32 indexed subject, address indexed member, uint64 expiresAt
    );
    event Approved(bytes32 indexed id, address indexed member, uint32 approvals);
    event ApprovalWithdrawn(bytes32 indexed id, address indexed member, uint32 approvals);
    event Executed(bytes32 indexed id, address indexed member);
    event ComposeHashAllowed(bytes32 indexed composeHash);
    event ComposeHashWithdrawn(bytes32 indexed composeHash);

    error AlreadyProposed(bytes32 id);
    error NotOpen(bytes32 id);
    error AlreadyApproved(bytes32 id);
    error NotApproved(bytes32 id);
    error TooFewApprovals(uint256 approvals, uint256 needed);
    error NothingToChange();

    constructor(address[] memory members, uint256 threshold_) Members(members, threshold_) {}

    /// @notice Proposes a change, and approves it.
    /// @param subject the compose hash; the member's address or the number, left-padded
    /// @return id names all of it: this contract on this chain, the change, its subject and era. Who approves an id can
    /// not have approved something else, also when blocks are reordered.
    function propose(Change change, bytes32 subject) external onlyMember returns (bytes32 id) {
        _check(change, subject);
        uint64 expiresAt = uint64(block.timestamp) + PROPOSAL_LASTS;
        id = keccak256(abi.encode(block.chainid, address(this), era, change, subject, expiresAt, msg.sender));
        if (proposals[id].expiresAt != 0) revert AlreadyProposed(id);
        proposals[id] =
            Proposal({change: change, subject: subject, era: era, expiresAt: expiresAt, approvals: 0});
        emit Proposed(id, change, subject, msg.sender, expiresAt);
        _approve(id);
    }

    function approve(bytes32 id) external onlyMember {
        _approve(id);
    }

    /// @notice Takes back one's own approval, while the proposal is open.
    function withdrawApproval(bytes32 id) external onlyMember {
        Proposal storage proposal = _open(id);
        if (!hasApproved[id][msg.sender]) revert NotApproved(id);
        hasApproved[id][msg.sender] = false;
        proposal.approvals -= 1;
        emit ApprovalWithdrawn(id, msg.sender, proposal.approvals);
    }

    /// @notice Does what enough members have approved, once.
    function execute(bytes32 id) external onlyMember {
        Proposal storage proposal = _open(id);
        if (proposal.approvals < threshold) revert TooFewApprovals(proposal.approvals, threshold);
        // It closes this proposal and every other one.
        era += 1;
        emit Executed(id, msg.sender);
        _apply(proposal.change, proposal.subject);
    }

    /// @inheritdoc IAppAuth
    function isAppAllowed(AppBootInfo calldata bootInfo)
        external
        view
        returns (bool isAllowed, string memory reason)
    {
        if (bootInfo.appId != address(this)) return (false, "another application");
        if (!allowedComposeHashes[bootInfo.composeHash]) return (false, "compose hash not allowed");
        return (true, "");
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IAppAuth).interfaceId || interfaceId == type(IERC165).interfaceId;
    }

    function _approve(bytes32 id) private {
        Proposal storage proposal = _open(id);
        if (hasApproved[id][msg.sender]) revert AlreadyApproved(id);
        hasApproved[id][msg.sender] = true;
        // The members of an era do not change: each approval is of a member of now.
        proposal.approvals += 1;
        emit Approved(id, msg.sender, proposal.approvals);
    }

    /// @dev Nothing else is ever approved or executed: not what was, not what nobody proposed.
    function _open(bytes32 id) private view returns (Proposal storage proposal) {
        proposal = proposals[id];
        if (proposal.expiresAt <= block.timestamp || proposal.era != era) revert NotOpen(id);
    }

    function _check(Change change, bytes32 subject) private view {
        if (change == Change.AllowComposeHash) {
            if (allowedComposeHashes[subject]) revert NothingToChange();
        } else if (change == Change.WithdrawComposeHash) {
            if (!allowedComposeHashes[subject]) revert NothingToChange();
        } else if (change == Change.AddMember) {
            _checkAddition(_memberIn(subject));
        } else if (change == Change.RemoveMember) {
            _checkRemoval(_memberIn(subject));
        } else {
            _checkThreshold(uint256(subject), memberCount());
        }
    }

    /// @dev Checked when it was proposed: within its era nothing else has changed.
    function _apply(Change change, bytes32 subject) private {
        if (change == Change.AllowComposeHash) {
            allowedComposeHashes[subject] = true;
            emit ComposeHashAllowed(subject);
        } else if (change == Change.WithdrawComposeHash) {
            allowedComposeHashes[subject] = false;
            emit ComposeHashWithdrawn(subject);
        } else if (change == Change.AddMember) {
            _addMember(_memberIn(subject));
        } else if (change == Change.RemoveMember) {
            _removeMember(_memberIn(subject));
        } else {
            _setThreshold(uint256(subject));
        }
    }

    function _memberIn(bytes32 subject) private pure returns (address) {
        if (uint256(subject) > type(uint160).max) revert InvalidMember(subject);
        return address(uint160(uint256(subject)));
    }
}
