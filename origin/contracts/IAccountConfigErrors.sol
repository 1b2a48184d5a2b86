// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Why a call was refused. The origin maps each name to a status; the arguments are its facts.
interface IAccountConfigErrors {
    /// 404. The hash is no account's: neither a master hash, nor an alias, nor a usage key of one.
    error AccountDoesNotExist(uint256 apiKeyHash);
    /// 409. The hash or wallet already names this account.
    error AccountAlreadyExists(uint256 accountHash);
    /// 403. Managed: the caller is no api payer. Unmanaged: the caller is not the admin wallet.
    error NoAccountAccess(uint256 accountHash, address caller);
    /// 503: the origin's own payer is not admitted.
    error NotApiPayer(address caller);
    /// 401. The credential was revoked: a rotated account key or a removed usage key.
    error ApiKeyRevoked(uint256 apiKeyHash);
    /// 400. A value that no account state makes right.
    error InvalidRequest(string reason);
    /// 400.
    error TooManyIds(string field, uint256 given, uint256 most);
    /// 400. Bytes of UTF-8.
    error TooLong(string field, uint256 given, uint256 most);
    /// 404. The account has registered no such wallet; whether another has is of no account.
    error WalletDoesNotExist(uint256 accountHash, bytes32 pkpId);
    /// 409. Only a new wallet can get a policy, because the key of an existing one may have been read.
    error WalletAlreadyExists(uint256 accountHash, bytes32 pkpId);
    /// 409. The wallet was created without a policy, and cannot get one.
    error WalletHasNoPolicy(uint256 accountHash, bytes32 pkpId);
    /// 409. The wallet's policy can never be changed.
    error PolicyIsImmutable(uint256 accountHash, bytes32 pkpId);
    /// 409. The policy that holds is `policyHash`, not the one to be replaced.
    error PolicyChanged(uint256 accountHash, bytes32 pkpId, bytes32 policyHash);
    /// 403. The attestation is not a registered api payer's signature of this change.
    error PolicyNotAttested(uint256 accountHash, bytes32 pkpId);
    /// 404. The account has no such group: never issued, or removed.
    error GroupDoesNotExist(uint256 accountHash, uint256 groupId);
    /// 404. The account has registered no such action.
    error ActionDoesNotExist(uint256 accountHash, uint256 cidHash);
    /// 409.
    error ActionAlreadyExists(uint256 accountHash, uint256 cidHash);
    /// 404. The account has no such usage key: never made, or removed.
    error UsageApiKeyDoesNotExist(uint256 accountHash, uint256 usageApiKeyHash);
    /// 409. The hash is already a usage key of `accountHash`.
    error UsageApiKeyAlreadyExists(uint256 usageApiKeyHash, uint256 accountHash);
    /// 409. A rotated or removed key's hash cannot be registered again, by anyone.
    error ApiKeyHashAlreadyRevoked(uint256 apiKeyHash);
    /// 409. A signed proof is good for one write.
    error TypedDataAlreadyUsed(bytes32 digest);
    /// 403. A usage key where the account's own is needed.
    error NotMasterAccount(uint256 usageApiKeyHash);
    /// 403. The usage key lacks canCreateGroups.
    error NotAllowedToCreateGroups(uint256 usageApiKeyHash);
    /// 403. The usage key lacks canDeleteGroups.
    error NotAllowedToDeleteGroups(uint256 usageApiKeyHash);
    /// 403. The usage key lacks canCreatePkps, or would replace a wallet.
    error NotAllowedToCreatePkps(uint256 usageApiKeyHash);
    /// 403. manageIpfsIdsInGroups does not reach the group; group 0: it would have to name all.
    error NotAllowedToManageIpfsIds(uint256 usageApiKeyHash, uint256 groupId);
    /// 403. addPkpToGroups does not reach the group; group 0: it would have to name all.
    error NotAllowedToAddPkps(uint256 usageApiKeyHash, uint256 groupId);
    /// 403. removePkpFromGroups does not reach the group.
    error NotAllowedToRemovePkps(uint256 usageApiKeyHash, uint256 groupId);
}
