import type { z } from 'zod'
import { auditLogQuery, auditLogResponse } from '../../shared/wire/audit-log.ts'
import type { Operation } from './operation.ts'

/**
 * Reads the audit log of the account. The response is an object and not a list, because each page comes with the signed
 * head. Usage keys are refused unless they have `can_read_account`: entries contain the client addresses of the owner.
 */
export const auditLogOperation: Operation<undefined, z.infer<typeof auditLogQuery>> = {
  method: 'GET',
  path: '/core/v1/audit_log',
  summary:
    'Returns a page of the audit log of the account: changes, and refused attempts. Entries form a hash chain, whose signed head is returned with each page.',
  auth: 'account_reader',
  walletAuth: true,
  query: auditLogQuery,
  responseSchema: auditLogResponse,
  statuses: [503],
  handle: async ({ principal, query }, { auditLog }) => {
    const { order, page_number: number, page_size: limit } = query
    return auditLog.page(principal.account, { order, offset: number * limit, limit })
  },
}
