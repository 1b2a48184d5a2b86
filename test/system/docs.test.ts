/** Runs every code block of README.md, docs/ and the agent guide on one stack, as a reader would, in page order. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyMessage } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve } from '../../origin/stack/approved-token.ts'
import { choosePorts } from '../../origin/stack/ports.ts'
import { type ProcessorDouble, startProcessor } from '../doubles/processor/server.ts'
import { startWebServer, type WebServer } from '../doubles/web-server.ts'
import { blocksIn, canBeOutput, fileOf, isCommands, root } from './docs/blocks.ts'
import { bodiesHold } from './docs/body-suite.ts'
import { documents, isElsewhere, readOf } from './docs/documents.ts'
import { ELSEWHERE, isOf } from './docs/elsewhere.ts'
import { inPlaceOf } from './docs/in-place-of.ts'
import { readPage } from './docs/page-shell.ts'
import { programsWork } from './docs/program-suite.ts'
import { definitions, prepared, type Reading, READINGS } from './docs/readings.ts'
import { backupRestores } from './docs/restore-suite.ts'
import { misshapen } from './docs/shape.ts'
import { guideHolds } from './skill/guide-suite.ts'
import { hasTools } from './skill/walk.ts'
import { anyPorts, type StartedStack, startStack } from './stack.ts'

let processor: ProcessorDouble
/** Responds as the price API in docs/how-to/from-gelato.md. */
let prices: WebServer
let started: StartedStack
beforeAll(async () => {
  processor = await startProcessor()
  prices = await startWebServer((_, response) =>
    response.end('{"data":{"amount":"3012.345","base":"ETH","currency":"USD"}}'),
  )
  // Chosen in advance, as in docs/how-to/sign-on-a-schedule.md: outbound permissions are set when the origin starts.
  const { chain } = await choosePorts(anyPorts)
  const outbound = `localhost:${chain},127.0.0.1:${prices.port}`
  const settings = { ...processor.settings, SVC_OUTBOUND_ALLOW: outbound }
  const environment = { ...anyPorts, SVC_CHAIN_PORT: String(chain) }
  started = await startStack({ originSettings: settings, environment, ownDatabase: true })
})
afterAll(async () => {
  await started?.stop()
  await prices?.close()
  await processor?.close()
})

describe('code blocks in the documentation', () => {
  it('are all run, compared with printed output, or listed with the test that covers them', () => {
    const neither = [...documents.values()].flatMap((blocks) =>
      blocks
        .filter((block, index) => {
          if (isElsewhere(block) || isCommands(block) || fileOf(block) !== undefined) return false
          return !(canBeOutput(block) && index > 0 && isCommands(blocks[index - 1]!))
        })
        .map(({ page, line, language }) => `${page}:${line} (${language || 'no language'})`),
    )
    expect(neither).toEqual([])
  })

  it('have one list entry each, which names a test that reads the page', () => {
    const blocks = [...documents.values()].flat()
    for (const entry of ELSEWHERE) {
      const count = blocks.filter((block) => isOf(entry, block)).length
      const named = `${entry.page}: ${entry.has ?? entry.language}`
      expect(entry.has === undefined ? count > 0 : count === 1, named).toBe(true)
      if ('because' in entry) continue
      expect(existsSync(root + entry.ranBy), entry.ranBy).toBe(true)
      if (entry.has !== undefined && /^npm (ci|start)/.test(entry.has.trim())) continue
      const test = readFileSync(root + entry.ranBy, 'utf8')
      expect(
        test.includes(entry.page) || test.includes(`'${folderOf(entry.page)}'`),
        `${entry.ranBy} reads ${entry.page}`,
      ).toBe(true)
    }
  })

  it.each([
    ['a fence that does not close', '```sh\ntrue\n'],
    ['a fence that is indented', '- so\n\n  ```sh\n  true\n  ```\n'],
    ['a fence within a fence', '```sh\n```js\n```\n'],
    ['a fence of tildes', '~~~sh\ntrue\n~~~\n'],
  ])('must not be %s, which would not be run', (_, markdown) => {
    expect(() => blocksIn('a page', markdown)).toThrow('a page:')
  })

  it.each([
    ['{"a": 12, "b": "0x12…ab"}', '{"a":7,"b":"0x99"}', true],
    ['{"a": 12}', '{"a":7,"b":1}', false],
    ['{"a": 12}', '{"a":"7"}', false],
    ['{"a": "hello"}', '{"a":"bye"}', false],
    ['[{"a": null}]', '[]', false],
    ['block 28 of 0xabc', 'block 7   of 0x1234', true],
    ['a … c', 'a b c', true],
    ['eyJh…', 'eyJhbGciOiJFUzI1NiJ9.eyJh0xJ-0xab.c-0x9f_0xQm7', true],
    ['Qm12…34', 'Qm-0x'.repeat(9), true],
    ['tx_…', `tx_${'a1'.repeat(16)}`, true],
    ['tx_…', 'Qm', false],
    ['0x12…34', `0x${'ab'.repeat(65)}`, true],
    ['0x12…34', 'Qm-0x'.repeat(9), false],
    ['converted', 'reverted', false],
  ])('match output by shape: %s with %s: %s', (shown, printed, isSame) => {
    expect(misshapen(shown, printed) === undefined).toBe(isSame)
  })
})

const folderOf = (page: string) => page.replace(/[^/]+$/, '')

const readable = [...documents.keys()].filter((page) => readOf(page).some(isCommands))

describe.skipIf(!hasTools)('a reader of the documentation', () => {
  it.concurrent.each(readable)(
    'runs the commands in %s and gets the output shown',
    async (page) => {
      const howTo = page.startsWith('docs/how-to/') && page !== 'docs/how-to/prepare.md'
      const before = howTo ? prepared() : [definitions()]
      const given: Reading = { before, ...READINGS[page]?.(started) }
      const folder = mkdtempSync(join(started.stateDir, 'reader-'))
      const blocks = readOf(page)
      const printed = await readPage(
        blocks,
        {
          folder,
          environment: {
            SVC_STATE_DIR: started.stateDir,
            // Most of a command's run time is spent compiling its sources.
            NODE_COMPILE_CACHE: join(started.stateDir, 'compiled'),
          },
          inPlaceOf: {
            ...given.inPlaceOf,
            '/tmp/': `${folder}/`,
            'https://api.stripe.com': processor.url,
            'https://api.coinbase.com': `http://127.0.0.1:${prices.port}`,
            ...inPlaceOf(started),
          },
          open: (url, code) =>
            approve(url, `${page.replaceAll(/\W/g, '-').toLowerCase()}@example.com`, code),
        },
        given.before,
      )
      for (const [index, block] of blocks.entries()) {
        const above = printed.get(blocks[index - 1]!)
        if (above === undefined || !canBeOutput(block)) continue
        const fault = misshapen(block.text, above)
        expect(fault, `${page}:${block.line}`).toBeUndefined()
      }
      const output = [...printed.values()].join('')
      for (const text of given.prints ?? []) expect(output).toContain(text)
      const signed = /"response":(\{"message":"hello from a webhook"[^}]*\})/.exec(output)?.[1]
      if (page !== 'docs/by-hand.md') return
      const { message, signature } = JSON.parse(signed!) as { message: string; signature: string }
      const wallet = /"wallet_address":"(0x[0-9a-fA-F]{40})","pkp_id"/.exec(output)?.[1]
      expect(verifyMessage(message, signature)).toBe(wallet)
    },
    300_000,
  )
})

programsWork(() => started)
bodiesHold(() => started)
guideHolds(() => started)
backupRestores(() => started)
