// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Why a call was refused. The origin maps each name to a status; the arguments are its facts.
interface IAccountConfigErrors {
    /// 404. The hash is no account's: neither a master hash nor an alias.
    error AccountDoesNotExist(uint256 apiKeyHash);
    /// 409. The hash or wallet already names this account.
    error AccountAlreadyExists(uint256 accountHash);
    /// 403. Managed: the caller is no api payer. Unmanaged: the caller is not the admin wallet.
    error NoAccountAccess(uint256 accountHash, address caller);
    /// 403.
    error NotApiPayer(address caller);
    /// 400. A value that no account state makes right.
    error InvalidRequest(string reason);
    /// 400.
    error TooManyIds(string field, uint256 given, uint256 most);
    /// 404. The account has registered no such wallet; whether another has is of no account.
    error WalletDoesNotExist(uint256 accountHash, bytes32 pkpId);
    /// 404. The account has never issued this group id.
    error GroupDoesNotExist(uint256 accountHash, uint256 groupId);
    /// 409. The hash is already a usage key of `accountHash`.
    error UsageApiKeyAlreadyExists(uint256 usageApiKeyHash, uint256 accountHash);
    /// 409. A rotated or removed key's hash cannot be used again, by anyone.
    error ApiKeyHashRevoked(uint256 apiKeyHash);
}
