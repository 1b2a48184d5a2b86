// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title What dstack's KMS asks the contract at an application's id before it gives a machine the application's keys.
/// The struct and its order are dstack's (kms/auth-eth): they decide the selector.
interface IAppAuth {
    struct AppBootInfo {
        address appId;
        bytes32 composeHash;
        address instanceId;
        bytes32 deviceId;
        bytes32 mrAggregated;
        bytes32 mrSystem;
        bytes32 osImageHash;
        string tcbStatus;
        string[] advisoryIds;
    }

    /// @return isAllowed whether the machine gets the keys
    /// @return reason why not; empty where it does
    function isAppAllowed(AppBootInfo calldata bootInfo)
        external
        view
        returns (bool isAllowed, string memory reason);
}
