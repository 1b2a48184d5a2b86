/** Settings of the local stack. `docs/configuration.md` is generated from this file. */
import { z } from 'zod'
import { SETTINGS } from '../../shared/config/settings.ts'

export type Ports = { edge: number; origin: number; chain: number }

/** The value 0 selects any free port. */
export const PORT_SETTINGS: Record<keyof Ports, { name: string; port: number; of: string }> = {
  edge: { name: 'SVC_EDGE_PORT', port: 8787, of: 'the edge, `{triggers_url}`' },
  origin: { name: 'SVC_ORIGIN_PORT', port: 8788, of: 'the origin, `{base_url}`' },
  chain: { name: 'SVC_CHAIN_PORT', port: 8545, of: 'the chain' },
}

export const STATE_DIR_DEFAULT = '.svc'

export const stackSettings = {
  SVC_STATE_DIR: z.string().default(STATE_DIR_DEFAULT).register(SETTINGS, {
    meaning:
      'folder for all state, created at the first start. Only one stack can use it at a time. `svc verify` uses it to find a running stack',
  }),
  ...Object.fromEntries(
    Object.values(PORT_SETTINGS).map(({ name, port, of }) => [
      name,
      z
        .string()
        .default(String(port))
        .register(SETTINGS, { meaning: `port of ${of}` }),
    ]),
  ),
}
