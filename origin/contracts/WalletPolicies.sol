// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {PolicyTerms} from "./AccountConfigTypes.sol";

/// @title What holds at a time, and changes to it. The caller stores the result.
library WalletPolicies {
    /// @return policy what holds at `time`, and what is still pending then
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

    /// @dev The new policy holds, and nothing is pending.
    function replace(Storage.WalletPolicy memory policy, PolicyTerms calldata terms) internal pure {
        policy.policyHash = terms.policyHash;
        policy.changeDelay = terms.changeDelay;
        policy.isImmutable = terms.isImmutable;
        _clearPending(policy);
    }

    /// @dev The new policy holds from `time` on, instead of any that was pending.
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
