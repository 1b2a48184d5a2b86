import type { z } from 'zod'
import { ACTION_WALLET_PATH } from '../../shared/wire/core-routes.ts'
import { actionWalletResponse, actionWalletQuery } from '../../shared/wire/action-wallet.ts'
import type { Operation } from './operation.ts'

export const getSvcActionWalletOperation: Operation<
  undefined,
  z.infer<typeof actionWalletQuery>
> = {
  method: 'GET',
  path: ACTION_WALLET_PATH,
  summary:
    'Returns the public key and wallet address of the action with the given CID, and a signed statement about them.',
  auth: 'none',
  query: actionWalletQuery,
  responseSchema: actionWalletResponse,
  handle: async ({ query: { cid }, clientAddress }, { actionStatements }) =>
    actionStatements.statementFor(cid, clientAddress),
}
