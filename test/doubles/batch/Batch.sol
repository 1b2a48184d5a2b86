// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Makes several calls in one.
contract Batch {
    struct Result {
        bool success;
        bytes data;
    }

    function run(address target, bytes[] calldata calls) external returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            (results[i].success, results[i].data) = target.call(calls[i]);
        }
    }
}
