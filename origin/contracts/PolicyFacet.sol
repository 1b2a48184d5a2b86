// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {AccountConfigStorage as Storage} from "./AccountConfigStorage.sol";
import {PolicyTerms, WalletPolicyView} from "./AccountConfigTypes.sol";
import {WalletPolicies} from "./WalletPolicies.sol";
import {WalletRegistration} from "./WalletRegistration.sol";

/// @title Records which policy each wallet has, and which one is pending.
/// @dev The contract stores hashes and cannot read the documents. It trusts an api payer that `terms` match the
/// document, and that a change may take effect at once, because the payers' keys exist only in the enclave, which reads
/// the documents. A payer writes managed accounts itself. The admin wallet of an unmanaged account must present a
/// payer's signature, so that it cannot lie about a delay (docs/decisions/0107).
contract PolicyFacet is WalletRegistration {
    using EnumerableSet for EnumerableSet.AddressSet;
    using WalletPolicies for Storage.WalletPolicy;

    bytes32 private constant DOMAIN_TYPE = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    bytes32 private constant ATTESTATION_TYPE = keccak256(
        "PolicyAttestation(uint256 accountHash,bytes32 pkpId,bytes32 replaces,bytes32 policyHash,uint40 changeDelay,bool isImmutable,bool atOnce)"
    );
    bytes32 private constant NAME_HASH = keccak256("Svc AccountConfig");
    bytes32 private constant VERSION_HASH = keccak256("1");

    /// @notice Registers a new wallet under a policy. A usage key needs canCreatePkps.
    /// @param pkpId the wallet's address, left-padded with zeros to 32 bytes
    /// @param attestation 65 bytes: an api payer's EIP-712 signature of a `PolicyAttestation` with `replaces` zero and
    /// `atOnce` true. Ignored for a managed account
    function registerPolicyWallet(
        uint256 apiKeyHash,
        bytes32 pkpId,
        bytes32 derivationPath,
        string calldata name,
        string calldata description,
        PolicyTerms calldata terms,
        bytes calldata attestation
    ) external {
        (uint256 accountHash, Storage.Account storage account,) = _identify(apiKeyHash);
        bool exists = account.wallets[pkpId].derivationPath != 0;
        _registerWallet(apiKeyHash, pkpId, derivationPath, name, description);
        if (exists) revert WalletAlreadyExists(accountHash, pkpId);
        _requireTerms(terms);
        _requireAttested(accountHash, account, pkpId, 0, terms, true, attestation);
        Storage.WalletPolicy storage policy = account.policies[pkpId];
        uint40 time = _now();
        policy.policyHash = terms.policyHash;
        policy.setAt = time;
        policy.changeDelay = terms.changeDelay;
        policy.isImmutable = terms.isImmutable;
        emit WalletPolicySet(
            accountHash, pkpId, 0, terms.policyHash, terms.changeDelay, terms.isImmutable, time, time
        );
    }

    /// @notice Changes a wallet's policy. Usage keys are not allowed to do this. Setting the policy that holds cancels
    /// a pending change.
    /// @param replaces hash of the policy to be replaced, which must hold in this block
    /// @param atOnce true if the change only tightens the policy, so that it does not wait for the policy's delay
    /// @param attestation as for `registerPolicyWallet`, of these arguments
    function setWalletPolicy(
        uint256 apiKeyHash,
        bytes32 pkpId,
        bytes32 replaces,
        PolicyTerms calldata terms,
        bool atOnce,
        bytes calldata attestation
    ) external {
        (uint256 accountHash, Storage.Account storage account) = _authorizeMaster(apiKeyHash);
        Storage.WalletPolicy memory policy = account.policies[pkpId].asOf(block.timestamp);
        if (policy.policyHash == 0) _revertWithoutPolicy(accountHash, account, pkpId);
        if (policy.isImmutable) revert PolicyIsImmutable(accountHash, pkpId);
        if (policy.policyHash != replaces) revert PolicyChanged(accountHash, pkpId, policy.policyHash);
        _requireTerms(terms);
        bool isSame = terms.policyHash == replaces;
        if (isSame && (terms.changeDelay != policy.changeDelay || terms.isImmutable)) {
            revert InvalidRequest("these are not the terms of the policy");
        }
        _requireAttested(accountHash, account, pkpId, replaces, terms, atOnce, attestation);

        uint40 time = _now();
        policy.setAt = time;
        if (atOnce || policy.changeDelay == 0 || isSame) {
            policy.replace(terms);
        } else {
            time += policy.changeDelay;
            policy.schedule(terms, time);
        }
        account.policies[pkpId] = policy;
        emit WalletPolicySet(
            accountHash, pkpId, replaces, terms.policyHash, terms.changeDelay, terms.isImmutable, policy.setAt, time
        );
    }

    /// @notice Returns the policy of a wallet of the account that `apiKeyHash` identifies.
    function walletPolicyOf(uint256 apiKeyHash, bytes32 pkpId) external view returns (WalletPolicyView memory) {
        uint256 accountHash = _resolve(apiKeyHash);
        Storage.Account storage account = Storage.state().accounts[accountHash];
        if (account.policies[pkpId].policyHash == 0) _revertWithoutPolicy(accountHash, account, pkpId);
        return _view(account, pkpId);
    }

    /// @notice Returns the policies of all wallets of the account that have one.
    function walletPoliciesOf(uint256 apiKeyHash) external view returns (WalletPolicyView[] memory policies) {
        Storage.Account storage account = Storage.state().accounts[_resolve(apiKeyHash)];
        uint256 walletCount = account.walletCount;
        uint256 count;
        for (uint256 i; i < walletCount; ++i) {
            if (account.policies[account.pkpIds[i]].policyHash != 0) ++count;
        }
        policies = new WalletPolicyView[](count);
        for (uint256 i = walletCount; count > 0;) {
            bytes32 pkpId = account.pkpIds[--i];
            if (account.policies[pkpId].policyHash != 0) policies[--count] = _view(account, pkpId);
        }
    }

    function _view(Storage.Account storage account, bytes32 pkpId) private view returns (WalletPolicyView memory) {
        Storage.WalletPolicy memory p = account.policies[pkpId].asOf(block.timestamp);
        return WalletPolicyView(
            pkpId,
            p.policyHash,
            p.changeDelay,
            p.isImmutable,
            p.setAt,
            p.pendingHash,
            p.pendingDelay,
            p.pendingImmutable,
            p.pendingAt
        );
    }

    function _revertWithoutPolicy(uint256 accountHash, Storage.Account storage account, bytes32 pkpId) private view {
        if (account.wallets[pkpId].derivationPath == 0) revert WalletDoesNotExist(accountHash, pkpId);
        revert WalletHasNoPolicy(accountHash, pkpId);
    }

    function _requireTerms(PolicyTerms calldata terms) private pure {
        if (terms.policyHash == 0) revert InvalidRequest("policyHash is zero");
        if (terms.changeDelay > CHANGE_DELAY_MAX) revert TooLong("changeDelay", terms.changeDelay, CHANGE_DELAY_MAX);
    }

    function _requireAttested(
        uint256 accountHash,
        Storage.Account storage account,
        bytes32 pkpId,
        bytes32 replaces,
        PolicyTerms calldata terms,
        bool atOnce,
        bytes calldata attestation
    ) private view {
        if (account.managed) return;
        bytes32 message = keccak256(
            abi.encode(
                ATTESTATION_TYPE,
                accountHash,
                pkpId,
                replaces,
                terms.policyHash,
                terms.changeDelay,
                terms.isImmutable,
                atOnce
            )
        );
        bytes32 domain = keccak256(abi.encode(DOMAIN_TYPE, NAME_HASH, VERSION_HASH, block.chainid, address(this)));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, message));
        // For a malformed or malleable signature, the signer is the zero address, which is never a payer.
        (address signer,,) = ECDSA.tryRecoverCalldata(digest, attestation);
        if (!Storage.state().apiPayers.contains(signer)) revert PolicyNotAttested(accountHash, pkpId);
    }
}
