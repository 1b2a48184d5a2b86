import type { z } from 'zod'
import { isActionCid } from '../cid/cid-format.ts'
import type { actionWalletResponse } from '../wire/action-wallet.ts'
import { NotSent, NotTheApi } from './failures/transport-errors.ts'
import type { CallOptions } from './options.ts'
import type { Requester } from './request.ts'
import { StatementRefused } from './verification/failures.ts'
import type { OriginVerification } from './verification/origin-verification.ts'

export type ActionWallet = z.infer<typeof actionWalletResponse>

type ActionWalletParts = {
  requester: Requester
  verification: Pick<OriginVerification, 'judges' | 'actionStatement'>
}

/**
 * Returns an action's wallet. Unless `verify` is `'never'`, uses only the values in the origin's signed statement.
 * @throws {NotSent} if `cid` is not a CID
 * @throws {StatementRefused} if the statement is not signed by the verified origin, or is for another action
 * @throws {NotFound} if the base URL is an edge, which does not proxy this path
 */
export async function actionWallet(
  { requester, verification }: ActionWalletParts,
  cid: string,
  options?: CallOptions,
): Promise<ActionWallet> {
  if (!isActionCid(cid))
    throw new NotSent(
      'bad_request',
      'expected the CID of an action',
      'Use a CIDv0: Qm followed by 44 characters.',
    )
  const { body, status, requestId } = await requester.core<unknown>({
    method: 'GET',
    path: `/core/v1/get_svc_action_wallet?action_ipfs_cid=${cid}`,
    repeat: 'idempotent',
    options,
  })
  if (!isActionWallet(body)) throw new NotTheApi('not an action’s key', status, requestId)
  if (!verification.judges) {
    if (body.action_cid !== cid)
      throw new StatementRefused('action_cid', 'it is for another action')
    return body
  }
  const { statement } = body
  const { action_cid, public_key, wallet_address } = await verification.actionStatement(
    statement,
    cid,
    options?.signal,
  )
  return { action_cid, public_key, wallet_address, statement }
}

function isActionWallet(body: unknown): body is ActionWallet {
  if (typeof body !== 'object' || body === null) return false
  const fields = ['action_cid', 'public_key', 'wallet_address', 'statement'] as const
  return fields.every((field) => typeof Reflect.get(body, field) === 'string')
}
