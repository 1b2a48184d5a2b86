// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccountWrites} from "./AccountWrites.sol";
import {ActionWrites} from "./ActionWrites.sol";
import {GroupWrites} from "./GroupWrites.sol";
import {UsageApiKeyWrites} from "./UsageApiKeyWrites.sol";
import {WalletWrites} from "./WalletWrites.sol";

/// @title Writes to accounts: by an api payer for a managed account, by the admin wallet for an unmanaged one.
/// @dev `apiKeyHash` is the credential: the master hash, an alias, or, where a usage key may act, that key's hash,
/// whose permissions are then held here as the origin holds them. No function calls another contract.
contract WritesFacet is AccountWrites, WalletWrites, GroupWrites, UsageApiKeyWrites, ActionWrites {}
