import type { Context } from 'hono'
import type { Explorers } from '../../../shared/wire/public-chains.ts'
import type { AppEnv } from '../../http/app-env.ts'

/** Returns the block explorers of the configured chains. */
export function configuredExplorers(c: Context<AppEnv>): Explorers {
  const chains = Object.values(c.var.services.settings.CHAINS)
  return Object.fromEntries(
    chains.flatMap(({ chainId, explorer }) =>
      explorer === undefined ? [] : [[chainId, explorer]],
    ),
  )
}

/** Passes the explorers to `edge/browser/transactions/read-explorers.ts`. */
export const ExplorerData = ({ explorers }: { explorers: Explorers }) => (
  <data id="explorers" value={JSON.stringify(explorers)} hidden />
)
