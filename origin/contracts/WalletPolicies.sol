// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {PolicyTerms} from "./AccountConfigTypes.sol";

/// @title Computes the policy that holds at a time, and changes to it, in memory. The caller stores the result.
library WalletPolicies {
    /// @return policy the policy that holds at `time`, and the one that is still pending then
    function asOf(Storage.WalletPolicy memory policy, uint256 time)
        internal
        pure
        returns (Storage.WalletPolicy memory)
    {
        if (policy.pendingAt != 0 && policy.pendingAt <= time) {
            policy.policyHash = policy.pendingHash;
            policy.changeDelay = policy.pendingDelay;
            policy.isImmutable = policy.pendingImmutable;
            _clearPending(policy);
        }
        return policy;
    }

    /// @dev The new policy takes effect now, and cancels any pending one.
    function replace(Storage.WalletPolicy memory policy, PolicyTerms calldata terms) internal pure {
        policy.policyHash = terms.policyHash;
        policy.changeDelay = terms.changeDelay;
        policy.isImmutable = terms.isImmutable;
        _clearPending(policy);
    }

    /// @dev The new policy takes effect at `time`, and replaces any pending one.
    function schedule(Storage.WalletPolicy memory policy, PolicyTerms calldata terms, uint40 time) internal pure {
        policy.pendingHash = terms.policyHash;
        policy.pendingDelay = terms.changeDelay;
        policy.pendingImmutable = terms.isImmutable;
        policy.pendingAt = time;
    }

    function _clearPending(Storage.WalletPolicy memory policy) private pure {
        policy.pendingHash = 0;
        policy.pendingDelay = 0;
        policy.pendingImmutable = false;
        policy.pendingAt = 0;
    }
}
