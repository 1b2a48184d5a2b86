import type { z } from 'zod'
import { newAccountAnswer, newAccountRequest } from '../../shared/wire/core.ts'
import { registerFreshKey } from '../accounts/fresh-key.ts'
import { addressOf } from '../keys/keyring.ts'
import { traceOf } from '../log.ts'
import type { Services } from '../services.ts'
import type { Operation } from './operation.ts'

/** Opens an account in one transaction. The key is shown once and never stored; `email` is never on chain. */
export const newAccount: Operation<z.infer<typeof newAccountRequest>> = {
  method: 'POST',
  path: '/core/v1/new_account',
  summary: 'Opens an account in one transaction. The key is shown once.',
  auth: 'none',
  body: { schema: newAccountRequest },
  answer: newAccountAnswer,
  statuses: [409, 503],
  handle: async ({ body, clientAddress, writeId: firstWriteId }, services) => {
    const { keyring, openings, writer } = services
    const opening = await openings.admit(clientAddress)
    const tried: string[] = []
    const opened = registerFreshKey(firstWriteId, async ({ text, hash, writeId }) => {
      tried.push(writeId)
      const wallet = addressOf(keyring.accountKey(hash))
      const args = [hash, wallet, body.account_name, body.account_description]
      const receipt = await writer.write('newAccount', args, { writeId })
      await opening.cost(receipt.gasUsed * receipt.gasPrice).catch((error: unknown) => {
        // The account is open, and its key is shown now or never. What was reserved stays counted.
        services.log('new_account.cost_not_counted', { cause: traceOf(error) })
      })
      return { api_key: text, wallet_address: wallet }
    })
    return opened.catch(async (error: unknown) => {
      if (await nothingRecorded(tried, services))
        await opening.refused().catch((failure: unknown) => {
          services.log('new_account.not_given_back', { cause: traceOf(failure) })
        })
      throw error
    })
  },
}

/** Whether no try can cost gas: none is on its way, and none was reverted in a block. */
async function nothingRecorded(writeIds: string[], { writer }: Services): Promise<boolean> {
  const recorded = await Promise.all(writeIds.map((writeId) => writer.wasRecorded(writeId)))
  return !recorded.includes(true)
}
