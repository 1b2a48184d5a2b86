import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { MODE_PSK } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { withoutUndefined } from '../../shared/json/without-undefined.ts'
import type { StoredUsageKey } from '../../shared/wire/sealed.ts'
import {
  type KeyState,
  type KeyStatesRequest,
  keyStatesRequestSchema,
  type KeyStatesResponse,
  type PaymentProblem,
  SEALED_KEY_STATES_PATH,
} from '../../shared/wire/sealed-key-states.ts'
import type { Principal } from '../accounts/account.ts'
import { EnvelopeError } from '../channel/open-request.ts'
import type { OriginServices } from '../services.ts'
import type { SealedOperation } from './sealed.ts'

/** Replayed requests are allowed, because the operation changes nothing. */
export const sealedKeyStatesOperation: SealedOperation<KeyStatesRequest> = {
  path: SEALED_KEY_STATES_PATH,
  schema: keyStatesRequestSchema,
  isOfEdge: true,
  handle: async ({ stored, ...wanted }, mode, services): Promise<KeyStatesResponse> => {
    if (mode !== MODE_PSK)
      throw new ApiError(
        403,
        'Only the edge can read the state of stored keys.',
        'Send GET /core/v1/list_api_keys with the account key.',
      )
    services.load.requireRoom()
    const principals = stored.map((one) => principalOf(one, services))
    const found = principals.flatMap((principal) => principal?.account.hash ?? [])
    const accounts = [...new Set(found)]
    const { credits } = services
    const [balances, problems] = await Promise.all([
      wanted.balances ? credits.storedBalances(accounts) : undefined,
      wanted.payments ? credits.paymentProblems(accounts) : undefined,
    ])
    const facts = { balances, problems }
    return { state: 'known', keys: principals.map((one) => stateOf(one, facts, services)) }
  },
}

function principalOf(stored: StoredUsageKey, services: OriginServices): Principal | undefined {
  const key = openedKey(stored, services)
  return key === undefined ? undefined : services.mirror.current().principal(apiKeyHash(key))
}

/** Facts about accounts. Undefined if they were not requested. */
type AccountFacts = {
  balances: ReadonlyMap<string, number> | undefined
  problems: ReadonlyMap<string, PaymentProblem> | undefined
}

function stateOf(
  principal: Principal | undefined,
  { balances, problems }: AccountFacts,
  { keyLimits }: OriginServices,
): KeyState | null {
  if (!principal?.usageKey) return null
  const { account, keyHash } = principal
  return withoutUndefined({
    key_hash: keyHash,
    expires_at: keyLimits.of(principal)?.expiresAt,
    account_hash: (balances ?? problems) && account.hash,
    balance_cents: balances?.get(account.hash),
    payment_problem: problems?.get(account.hash),
  })
}

/** One key that cannot be decrypted must not hide the state of the others. */
function openedKey(stored: StoredUsageKey, { channel }: OriginServices): string | undefined {
  try {
    return channel.storedKeys.open(stored)
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined
    throw error
  }
}
