import type { ChainsResponse } from '../../shared/wire/chains.ts'
import { chainRecords } from '../chain/chain-records.ts'
import { sleep } from '../sleep.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'

export function registerChainsGet(app: App): void {
  app.get('/api/chains', async (c) => {
    await requireUser(c, 'triggers:read')
    const { settings, watcherOf, now } = c.var.services
    const chains = await chainRecords({ chains: settings.CHAINS, watcherOf, now, sleep })
    return c.json({ chains } satisfies ChainsResponse)
  })
}
