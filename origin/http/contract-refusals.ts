/** Maps each contract error (`IAccountConfigErrors.sol`) to a status and a message. Used only by `failure.ts`. */
import { toBeHex } from 'ethers'
import { ApiError, type ErrorStatus } from '../../shared/errors.ts'

type Meaning = {
  status: Extract<ErrorStatus, 400 | 401 | 403 | 404 | 409 | 503>
  /** Receives the error's arguments in ABI order; they may be missing. */
  message: (...args: (string | undefined)[]) => string
  fix: string
  headers?: Record<string, string>
}

const USE_THE_RIGHT = (field: string) =>
  `Use the account key, or a usage key with ${field}; update_usage_api_key grants it.`

/** Returns a group ID for a message; 0 means all groups. */
const inGroup = (id: string | undefined) =>
  id === undefined ? 'that group' : id === '0' ? 'all groups (0)' : `group ${id}`
const hash = (value: string | undefined) => (value === undefined ? '' : ` ${toBeHex(value, 32)}`)
const named = (value: string | undefined) => (value === undefined ? '' : ` ${value}`)
const tooLarge = (field?: string, given?: string, most?: string) =>
  field === undefined
    ? 'A value is larger than the contract takes.'
    : `${field}: ${given}, and at most ${most} are taken.`

const MEANINGS: Readonly<Record<string, Meaning>> = {
  AccountDoesNotExist: {
    status: 404,
    message: () => 'The account does not exist on the chain.',
    fix: 'Open an account with new_account.',
  },
  AccountAlreadyExists: {
    status: 409,
    message: () => 'The key or wallet already names an account.',
    fix: 'Use another key or wallet; one that was ever an account’s can not be another’s.',
  },
  NoAccountAccess: {
    status: 403,
    message: () => 'The account is in ChainSecured mode: its admin wallet alone may write it.',
    fix: 'Send the transaction to the contract from the admin wallet.',
  },
  NotApiPayer: {
    status: 503,
    message: () => 'This origin may not write to the contract.',
    fix: 'Try again later; nothing was charged.',
    headers: { 'retry-after': '30' },
  },
  ApiKeyRevoked: {
    status: 401,
    message: () => 'The API key was revoked while the request was under way.',
    fix: 'Use a key that is not revoked.',
    headers: { 'www-authenticate': 'Bearer' },
  },
  InvalidRequest: {
    status: 400,
    message: (reason) =>
      reason === undefined
        ? 'The contract refused the request.'
        : `The contract refused: ${reason}.`,
    fix: 'Correct the value.',
  },
  TooManyIds: {
    status: 400,
    message: tooLarge,
    fix: 'Send fewer ids; a group that is full needs one taken out first, or a second group.',
  },
  TooLong: {
    status: 400,
    message: tooLarge,
    fix: 'Send a shorter text; it counts in bytes of UTF-8.',
  },
  WalletDoesNotExist: {
    status: 404,
    message: (_account, pkpId) => `The account has no wallet${hash(pkpId)}.`,
    fix: 'Name one of list_wallets, or 32 zero bytes for every wallet.',
  },
  GroupDoesNotExist: {
    status: 404,
    message: (_account, id) => `The account has no group${named(id)}.`,
    fix: 'Name one of list_groups; ids of removed groups are not used again.',
  },
  ActionDoesNotExist: {
    status: 404,
    message: (_account, cidHash) =>
      `The account has recorded no action with the hash${hash(cidHash)}.`,
    fix: 'Record it with add_action, or permit it with add_action_to_group, which records it too.',
  },
  ActionAlreadyExists: {
    status: 409,
    message: (_account, cidHash) => `The action with the hash${hash(cidHash)} is already recorded.`,
    fix: 'Change its name or description with update_action_metadata.',
  },
  UsageApiKeyDoesNotExist: {
    status: 404,
    message: (_account, keyHash) => `The account has no usage key with the hash${hash(keyHash)}.`,
    fix: 'Name one of list_api_keys; removed keys are not in it.',
  },
  UsageApiKeyAlreadyExists: {
    status: 409,
    message: () => 'The hash is already that of a usage key.',
    fix: 'Try again: another key is made.',
  },
  ApiKeyHashAlreadyRevoked: {
    status: 409,
    message: () => 'The hash is that of a revoked key, and can not be registered again.',
    fix: 'Try again: another key is made.',
  },
  TypedDataAlreadyUsed: {
    status: 409,
    message: () => 'The signed proof was used before, and is good for one write.',
    fix: 'Sign a new one, with the present time in issuedAt.',
  },
  NotMasterAccount: {
    status: 403,
    message: () => 'This is a usage key; the operation needs the account key.',
    fix: 'Repeat the request with the account key.',
  },
  NotAllowedToCreateGroups: {
    status: 403,
    message: () => 'This usage key may not create groups.',
    fix: USE_THE_RIGHT('can_create_groups'),
  },
  NotAllowedToDeleteGroups: {
    status: 403,
    message: () => 'This usage key may not remove groups.',
    fix: USE_THE_RIGHT('can_delete_groups'),
  },
  NotAllowedToCreatePkps: {
    status: 403,
    message: () => 'This usage key may not create wallets.',
    fix: USE_THE_RIGHT('can_create_pkps'),
  },
  NotAllowedToManageIpfsIds: {
    status: 403,
    message: (_key, id) => `This usage key may not manage the actions of ${inGroup(id)}.`,
    fix: USE_THE_RIGHT('the group, or 0 for all, in manage_ipfs_ids_in_groups'),
  },
  NotAllowedToAddPkps: {
    status: 403,
    message: (_key, id) => `This usage key may not add that wallet to ${inGroup(id)}.`,
    fix: USE_THE_RIGHT('the group, or 0 for all groups and for every wallet, in add_pkp_to_groups'),
  },
  NotAllowedToRemovePkps: {
    status: 403,
    message: (_key, id) => `This usage key may not take wallets out of ${inGroup(id)}.`,
    fix: USE_THE_RIGHT('the group, or 0 for all, in remove_pkp_from_groups'),
  },
  NotAllowedToReadGroup: {
    status: 403,
    message: (_key, id) => `This usage key may not read ${inGroup(id)}.`,
    fix: USE_THE_RIGHT('the group, or 0 for all, in any of its arrays'),
  },
}

/** Returns the response for an error. Errors of a newer contract are classified by name. */
function meaningOf(name: string): Meaning {
  const known = Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined
  if (known) return known
  const message = () => `The contract refused the write: ${name}.`
  if (name.endsWith('DoesNotExist')) return { status: 404, message, fix: 'Name one that exists.' }
  if (name.endsWith('AlreadyExists'))
    return { status: 409, message, fix: 'Use the one that exists.' }
  if (name.startsWith('NotAllowed') || name.startsWith('NotMaster'))
    return { status: 403, message, fix: 'Use the account key.' }
  return { status: 400, message, fix: 'Correct the values.' }
}

/** Returns all responses without arguments, for the page that lists them. */
export function contractRefusals() {
  return Object.entries(MEANINGS).map(([name, { status, message, fix }]) => ({
    code: codeOf(name),
    status,
    message: message(),
    fix,
  }))
}

/** Maps a contract error to its response; `x-svc-error` carries the error's code (`account_already_exists`). */
export function contractRefusal(errorName: string, args: readonly string[]): ApiError {
  const { status, message, fix, headers } = meaningOf(errorName)
  return new ApiError(status, message(...args), fix, {
    contractError: codeOf(errorName),
    ...(headers && { headers }),
  })
}

const codeOf = (errorName: string) => errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
