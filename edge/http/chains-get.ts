import { type ChainsResponse, chainsResponse } from '../../shared/wire/chains.ts'
import { chainRecords } from '../chain/chain-records.ts'
import { sleep } from '../sleep.ts'
import type { ApiOperation } from './api-operation.ts'

export const listChainsOperation: ApiOperation = {
  method: 'get',
  path: '/api/chains',
  id: 'list_chains',
  scope: 'triggers:read',
  summary:
    'Lists the chains that this service can watch, with the progress of each and the state of its nodes.',
  success: { status: 200, schema: chainsResponse },
  handle: async (c) => {
    const { settings, watcherOf, now } = c.var.services
    const chains = await chainRecords({ chains: settings.CHAINS, watcherOf, now, sleep })
    return c.json({ chains } satisfies ChainsResponse)
  },
}
