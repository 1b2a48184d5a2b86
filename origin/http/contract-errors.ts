/** Maps the errors of `IAccountConfigErrors.sol` to API errors. Used only by `failure.ts`. */
import { toBeHex } from 'ethers'
import type { ErrorStatus } from '../../shared/errors/error-names.ts'
import { ApiError } from '../../shared/errors/api-error.ts'

type ContractErrorMapping = {
  status: Extract<ErrorStatus, 400 | 401 | 403 | 404 | 409 | 503>
  /** Arguments are in ABI order and may be missing. */
  message: (...args: (string | undefined)[]) => string
  fix: string
  headers?: Record<string, string>
}

const useKeyWith = (field: string) =>
  `Use the account key, or a usage key with ${field}. To grant this permission, use update_usage_api_key.`

/** The ID 0 means all groups. */
const formatGroup = (id: string | undefined) =>
  id === undefined ? 'that group' : id === '0' ? 'all groups (0)' : `group ${id}`
const formatHash = (value: string | undefined) =>
  value === undefined ? '' : ` ${toBeHex(value, 32)}`
const formatId = (value: string | undefined) => (value === undefined ? '' : ` ${value}`)
const tooLarge = (field?: string, given?: string, most?: string) =>
  field === undefined
    ? 'A value exceeds a limit of the contract.'
    : `${field}: ${given} exceeds the limit of ${most}.`

const CONTRACT_ERRORS: Readonly<Record<string, ContractErrorMapping>> = {
  AccountDoesNotExist: {
    status: 404,
    message: () => 'The account does not exist on the chain.',
    fix: 'Open an account with new_account.',
  },
  AccountAlreadyExists: {
    status: 409,
    message: () => 'The key or wallet already belongs to an account.',
    fix: 'Use another key or wallet; one that has ever belonged to an account cannot be reused.',
  },
  NoAccountAccess: {
    status: 403,
    message: () => 'The account is in ChainSecured mode; only its admin wallet can change it.',
    fix: 'Send the transaction to the contract from the admin wallet.',
  },
  NotApiPayer: {
    status: 503,
    message: () => 'This origin is not authorized to write to the contract.',
    fix: 'Try again later; nothing was charged.',
    headers: { 'retry-after': '30' },
  },
  ApiKeyRevoked: {
    status: 401,
    message: () => 'The API key was revoked while the request was in flight.',
    fix: 'Use another key.',
    headers: { 'www-authenticate': 'Bearer' },
  },
  InvalidRequest: {
    status: 400,
    message: (reason) =>
      reason === undefined
        ? 'The contract rejected the request.'
        : `The contract rejected the request: ${reason}.`,
    fix: 'Correct the value.',
  },
  TooManyIds: {
    status: 400,
    message: tooLarge,
    fix: 'Send fewer IDs. If the group is full, remove one first, or use another group.',
  },
  TooLong: {
    status: 400,
    message: tooLarge,
    fix: 'Send a shorter text; its length is counted in bytes of UTF-8.',
  },
  WalletDoesNotExist: {
    status: 404,
    message: (_account, pkpId) => `The account has no wallet${formatHash(pkpId)}.`,
    fix: 'Send the ID of a wallet in list_wallets, or 32 zero bytes for all wallets.',
  },
  WalletAlreadyExists: {
    status: 409,
    message: (_account, pkpId) =>
      `The account already has the wallet${formatHash(pkpId)}; only a new wallet can get a policy.`,
    fix: 'Create another wallet with a policy.',
  },
  WalletHasNoPolicy: {
    status: 409,
    message: (_account, pkpId) =>
      `The wallet${formatHash(pkpId)} was created without a policy and cannot get one.`,
    fix: 'Create another wallet with a policy.',
  },
  PolicyIsImmutable: {
    status: 409,
    message: (_account, pkpId) =>
      `The policy of the wallet${formatHash(pkpId)} is immutable; it can never be changed.`,
    fix: 'Create another wallet with another policy.',
  },
  PolicyChanged: {
    status: 409,
    message: (_account, _pkpId, policyHash) =>
      `The wallet's policy is not the one to be replaced; the current policy is${policyHash === undefined ? ' another one' : formatHash(policyHash)}.`,
    fix: 'Read the current policy, decide whether to replace it, and send its hash in replaces.',
  },
  PolicyNotAttested: {
    status: 403,
    message: () =>
      'The attestation is not a signature of this policy change by a payer of the service.',
    fix: 'Request an attestation for this change, and send it unchanged.',
  },
  GroupDoesNotExist: {
    status: 404,
    message: (_account, id) => `The account has no group${formatId(id)}.`,
    fix: 'Send the ID of a group in list_groups; IDs of removed groups are not reused.',
  },
  ActionDoesNotExist: {
    status: 404,
    message: (_account, cidHash) =>
      `The account has no action with the hash${formatHash(cidHash)}.`,
    fix: 'Register the action with add_action, or with add_action_to_group, which also permits it.',
  },
  ActionAlreadyExists: {
    status: 409,
    message: (_account, cidHash) =>
      `An action with the hash${formatHash(cidHash)} is already registered.`,
    fix: 'To change the name or description of the action, use update_action_metadata.',
  },
  UsageApiKeyDoesNotExist: {
    status: 404,
    message: (_account, keyHash) =>
      `The account has no usage key with the hash${formatHash(keyHash)}.`,
    fix: 'Send the hash of a key in list_api_keys, which does not include removed keys.',
  },
  UsageApiKeyAlreadyExists: {
    status: 409,
    message: () => 'A usage key with this hash already exists.',
    fix: 'Try again; a different key will be generated.',
  },
  ApiKeyHashAlreadyRevoked: {
    status: 409,
    message: () => 'The hash belongs to a revoked key and cannot be registered again.',
    fix: 'Try again; a different key will be generated.',
  },
  TypedDataAlreadyUsed: {
    status: 409,
    message: () => 'The signed proof has already been used; each proof is valid for one write.',
    fix: 'Sign a new proof with the current time in issuedAt.',
  },
  NotMasterAccount: {
    status: 403,
    message: () => 'This is a usage key, but the operation requires the account key.',
    fix: 'Repeat the request with the account key.',
  },
  NotAllowedToCreateGroups: {
    status: 403,
    message: () => 'This usage key is not allowed to create groups.',
    fix: useKeyWith('can_create_groups'),
  },
  NotAllowedToDeleteGroups: {
    status: 403,
    message: () => 'This usage key is not allowed to remove groups.',
    fix: useKeyWith('can_delete_groups'),
  },
  NotAllowedToCreatePkps: {
    status: 403,
    message: () => 'This usage key is not allowed to create wallets.',
    fix: useKeyWith('can_create_pkps'),
  },
  NotAllowedToManageIpfsIds: {
    status: 403,
    message: (_key, id) =>
      `This usage key is not allowed to manage the actions of ${formatGroup(id)}.`,
    fix: useKeyWith('the group (or 0 for all groups) in manage_ipfs_ids_in_groups'),
  },
  NotAllowedToAddPkps: {
    status: 403,
    message: (_key, id) =>
      `This usage key is not allowed to add that wallet to ${formatGroup(id)}.`,
    fix: useKeyWith('the group (or 0 for all groups and all wallets) in add_pkp_to_groups'),
  },
  NotAllowedToRemovePkps: {
    status: 403,
    message: (_key, id) =>
      `This usage key is not allowed to remove wallets from ${formatGroup(id)}.`,
    fix: useKeyWith('the group (or 0 for all groups) in remove_pkp_from_groups'),
  },
  NotAllowedToReadGroup: {
    status: 403,
    message: (_key, id) => `This usage key is not allowed to read ${formatGroup(id)}.`,
    fix: useKeyWith('the group (or 0 for all groups) in any of its group lists'),
  },
}

/** Errors of a newer contract are classified by name. */
function mappingOf(name: string): ContractErrorMapping {
  const known = Object.hasOwn(CONTRACT_ERRORS, name) ? CONTRACT_ERRORS[name] : undefined
  if (known) return known
  const message = () => `The contract rejected the write: ${name}.`
  if (name.endsWith('DoesNotExist'))
    return { status: 404, message, fix: 'Use the ID of an existing object.' }
  if (name.endsWith('AlreadyExists'))
    return { status: 409, message, fix: 'Use the existing object.' }
  if (name.startsWith('NotAllowed') || name.startsWith('NotMaster'))
    return { status: 403, message, fix: 'Use the account key.' }
  return { status: 400, message, fix: 'Correct the values.' }
}

export function listContractErrors() {
  return Object.entries(CONTRACT_ERRORS).map(([name, { status, message, fix }]) => ({
    code: errorCode(name),
    status,
    message: message(),
    fix,
  }))
}

/** The header `x-svc-error` contains a code such as `account_already_exists`. */
export function contractApiError(errorName: string, args: readonly string[]): ApiError {
  const { status, message, fix, headers } = mappingOf(errorName)
  return new ApiError(status, message(...args), fix, {
    contractError: errorCode(errorName),
    ...(headers && { headers }),
  })
}

const errorCode = (errorName: string) =>
  errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
