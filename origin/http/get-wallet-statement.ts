import type { z } from 'zod'
import {
  walletStatementQuery,
  walletStatementResponse,
} from '../../shared/wire/wallet-statement.ts'
import type { Operation } from './operation.ts'

export const getWalletStatementOperation: Operation<
  undefined,
  z.infer<typeof walletStatementQuery>
> = {
  method: 'GET',
  path: '/core/v1/get_wallet_statement',
  summary: 'Returns a signed statement about how the key of a wallet is derived.',
  auth: 'key',
  walletAuth: true,
  query: walletStatementQuery,
  responseSchema: walletStatementResponse,
  statuses: [404],
  handle: async ({ principal: { account }, query: { pkp_id } }, { walletStatements, mirror }) =>
    walletStatements.statementFor(account, pkp_id, mirror.current().chainTime),
}
