import { ApiError } from '../../shared/errors.ts'
import { ChainUnavailable } from '../accounts/chain.ts'
import { ContractRefused } from '../accounts/writer.ts'
import { EnvelopeRefused } from '../channel/open-request.ts'
import { ActionNotPermitted, ExecutorUnavailable } from '../runs/executions.ts'

const RETRY = { headers: { 'retry-after': '2' } }

/** The one place where the origin's failures get their status. What is not listed is ours, and says nothing. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ActionNotPermitted)
    return new ApiError(
      403,
      `The key may not run the action ${error.cid}: no group that it may execute in permits it.`,
      'Add the action to a group (add_action_to_group, or cid_hashes_permitted) that the key lists in execute_in_groups.',
    )
  if (error instanceof ContractRefused) return contractRefusal(error.errorName)
  if (error instanceof ChainUnavailable)
    return new ApiError(
      503,
      `The chain is not available: ${error.message}.`,
      'Try again; nothing was charged.',
      RETRY,
    )
  if (error instanceof ExecutorUnavailable)
    return new ApiError(
      503,
      'The actions runtime is not available.',
      'Try again; nothing was executed and nothing was charged.',
      RETRY,
    )
  if (error instanceof EnvelopeRefused) return envelopeRefusal(error)
  return new ApiError(
    500,
    'The server failed to answer this request.',
    'Try again; if it stays, report the x-request-id of this answer.',
  )
}

/** `decisions.md`, contract failures: never 500. */
function contractRefusal(name: string): ApiError {
  const refuse = (status: 400 | 403 | 404 | 409, fix: string) =>
    new ApiError(status, `The contract refused the write: ${name}.`, fix)
  // Not the caller's fault: the owner of the contract has to admit this origin's payer.
  if (name === 'NotApiPayer')
    return new ApiError(
      503,
      'This origin may not write to the contract.',
      'Try again later.',
      RETRY,
    )
  if (name.endsWith('AlreadyExists')) return refuse(409, 'Use the one that exists.')
  if (name === 'ApiKeyHashRevoked') return refuse(409, 'Use a key that was never revoked.')
  if (name.endsWith('DoesNotExist')) return refuse(404, 'Name one that exists in this account.')
  if (name === 'NoAccountAccess' || name.startsWith('Not'))
    return refuse(403, 'Use a key, or the wallet, that administers the account.')
  return refuse(400, 'Correct the values; the contract takes none of this shape.')
}

function envelopeRefusal({ failure }: EnvelopeRefused): ApiError {
  switch (failure.reason) {
    case 'unknown_key':
      return new ApiError(
        421,
        `The request is sealed to a key that this origin has not: ${failure.keyId}.`,
        'Read and verify /evidences/channel-key.json again, and seal to the key it names.',
        { error: 'unknown_channel_key' },
      )
    case 'unknown_psk':
      return new ApiError(
        401,
        'The pre-shared key is not the one of this origin.',
        'Give edge and origin the same channel PSK.',
        { error: 'unknown_psk' },
      )
    case 'malformed':
    case 'not_authentic':
      return new ApiError(
        400,
        'The sealed request does not open.',
        'Seal it to the key in /evidences/channel-key.json for this very method and path.',
      )
  }
}
