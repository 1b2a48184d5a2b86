import type { AuditContext } from '../audit-log/context.ts'
import type { OriginServices } from '../services.ts'
import { AddressNotAllowedError } from '../usage-keys/key-limits.ts'
import { apiErrorFrom } from './failure.ts'

/** Records a 403 in the audit log of the account. Other errors are not recorded. */
export function recordRefusal(
  error: unknown,
  context: () => AuditContext,
  { refusals }: Pick<OriginServices, 'refusals'>,
): void {
  const { status, reason, message } = apiErrorFrom(error)
  if (status !== 403) return
  refusals.record({ context: context(), code: reason, message: withoutAddress(error, message) })
}

/** Messages are permanent, and the address of a client must remain erasable. The entry contains it in encrypted form. */
function withoutAddress(error: unknown, message: string): string {
  return error instanceof AddressNotAllowedError
    ? 'The usage key is not allowed from the address of the client.'
    : message
}
