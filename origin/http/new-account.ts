import type { z } from 'zod'
import { newAccountResponse, newAccountRequest } from '../../shared/wire/core.ts'
import { newAccountGas } from '../admission/free-write-gas.ts'
import { registerFreshKey } from '../accounts/fresh-key.ts'
import { keyActor } from '../audit-log/context.ts'
import { addressFromPrivateKey } from '../keys/keyring.ts'
import { withGasReservation } from './with-gas-reservation.ts'
import type { Operation } from './operation.ts'

/**
 * The response shows the account key once; the key is never stored. `email` is stored by the service and not on the
 * chain.
 */
export const newAccountOperation: Operation<z.infer<typeof newAccountRequest>> = {
  method: 'POST',
  path: '/core/v1/new_account',
  summary: 'Opens an account in one transaction. The key is shown only once.',
  auth: 'none',
  body: { schema: newAccountRequest },
  responseSchema: newAccountResponse,
  statuses: [409, 503],
  handle: async ({ body, clientAddress, requestId, writeId: firstWriteId }, services) => {
    const { accountEmails, auditLog, keyring, newAccountLimits, writer } = services
    const gas = newAccountGas(body.account_name, body.account_description)
    const reservation = await newAccountLimits.admit(clientAddress, gas)
    return withGasReservation(reservation, services, (write) =>
      registerFreshKey(firstWriteId, async ({ text, hash, writeId }) => {
        const wallet = addressFromPrivateKey(keyring.accountKey(hash))
        const args = [hash, wallet, body.account_name, body.account_description]
        const audit = auditLog.contextOf({
          accountHash: hash,
          operation: 'new_account',
          actor: keyActor('account_key', hash),
          requestId,
          clientAddress,
        })
        // Store the e-mail address before creating the account, so that an account never exists without the address
        // that was given.
        if (body.email !== undefined) await accountEmails.store(hash, body.email)
        try {
          await write('newAccount', args, { writeId, audit })
        } catch (error) {
          if (body.email !== undefined && !(await writer.mayBeRecorded(writeId)))
            await accountEmails.delete(hash).catch(() => {})
          throw error
        }
        return { api_key: text, wallet_address: wallet }
      }),
    )
  },
}
