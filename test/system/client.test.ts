/** Runs the cases in `client/` against one stack, in every runtime that the client library supports. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApprovedToken } from '../../origin/stack/approved-token.ts'
import { createClient } from '../../shared/client/index.ts'
import { openToPages } from '../doubles/open-node.ts'
import type { WorldFacts } from './client/case.ts'
import { CASES } from './client/suite.ts'
import {
  bundledSuite,
  CHROMIUM,
  inChromium,
  inNode,
  inWorkerd,
  type Runtime,
} from './client-runtimes.ts'
import { type StartedStack, startStack } from './stack.ts'

const hasChromium = existsSync(CHROMIUM)
if (!hasChromium) console.warn(`no ${CHROMIUM}: the client's cases in a browser are skipped`)

let folder: string
let suite: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
  suite = await bundledSuite(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const RUNTIMES = [
  ['Node', () => inNode(suite)],
  ['workerd', (caFile: string) => inWorkerd(suite, caFile)],
  ['Chromium', () => inChromium(suite)],
] as const

for (const [runtime, start] of RUNTIMES)
  describe.skipIf(runtime === 'Chromium' && !hasChromium)(`the client in ${runtime}`, () => {
    // One stack for each runtime: all cases together would exceed the quotes that an address may request in a minute.
    let started: StartedStack
    let node: Awaited<ReturnType<typeof openToPages>>
    let shown: Pick<WorldFacts, 'composeHash' | 'rootSpkiSha256' | 'token'>
    let running: Runtime
    beforeAll(async () => {
      started = await startStack()
      node = await openToPages(started.stack.chainUrl)
      const { composeHash, root } = await createClient({ baseUrl: started.baseUrl }).verify()
      const { token } = await createApprovedToken(started.triggersUrl)
      shown = { composeHash: composeHash!, rootSpkiSha256: root!.spkiSha256, token }
      running = await start(started.stack.caFile)
    })
    afterAll(async () => {
      await running?.close()
      node?.close()
      await started?.stop()
    })

    it.for(CASES)('$name', async ({ name }) => {
      const { baseUrl, triggersUrl } = started
      const facts = { runtime, baseUrl, triggersUrl, chainUrl: node.url, ...shown }
      expect(await running.run(name, facts)).toBeUndefined()
    })
  })
