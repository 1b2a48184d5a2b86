import type { z } from 'zod'
import { newAccountAnswer, newAccountRequest } from '../../shared/wire/core.ts'
import { registerFreshKey } from '../accounts/fresh-key.ts'
import { addressOf } from '../keys/keyring.ts'
import { gasPaid } from './gas-paid.ts'
import type { Operation } from './operation.ts'

/** The key is shown once and never stored. `email` is stored by the service and not on the chain. */
export const newAccount: Operation<z.infer<typeof newAccountRequest>> = {
  method: 'POST',
  path: '/core/v1/new_account',
  summary: 'Opens an account in one transaction. The key is shown only once.',
  auth: 'none',
  body: { schema: newAccountRequest },
  answer: newAccountAnswer,
  statuses: [409, 503],
  handle: async ({ body, clientAddress, writeId: firstWriteId }, services) => {
    const { accountEmails, keyring, openings, writer } = services
    return gasPaid(await openings.admit(clientAddress), services, (write) =>
      registerFreshKey(firstWriteId, async ({ text, hash, writeId }) => {
        const wallet = addressOf(keyring.accountKey(hash))
        const args = [hash, wallet, body.account_name, body.account_description]
        // Stored before the account is created, so that no account exists without its address.
        if (body.email !== undefined) await accountEmails.keep(hash, body.email)
        try {
          await write('newAccount', args, { writeId })
        } catch (error) {
          if (body.email !== undefined && !(await writer.wasRecorded(writeId)))
            await accountEmails.forget(hash).catch(() => {})
          throw error
        }
        return { api_key: text, wallet_address: wallet }
      }),
    )
  },
}
