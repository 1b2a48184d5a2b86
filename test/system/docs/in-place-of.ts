import { join } from 'node:path'
import type { StartedStack } from '../stack.ts'
import { root } from './blocks.ts'

/** Replaces addresses and paths in the documentation with those of this stack. */
export const inPlaceOf = (started: StartedStack): Record<string, string> => ({
  'https://localhost:8788': started.baseUrl,
  'http://localhost:8787': started.triggersUrl,
  'http://localhost:8545': started.stack.chainUrl,
  '.svc/tls/ca.pem': started.stack.caFile,
  '.svc/metrics-token': join(started.stateDir, 'metrics-token'),
  "'@svc-run/client'": JSON.stringify(`${root}shared/client/index.ts`),
})
