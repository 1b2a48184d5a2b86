/** Validates the JSON and HTML bodies shown in the documentation against the schemas and parsers that accept them. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import vm from 'node:vm'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readChainConfig } from '../../../edge/chain/chain-config.ts'
import { readChainEventConfig } from '../../../edge/chain/chain-event-config.ts'
import { chainsSetting } from '../../../shared/config/chain-settings.ts'
import { mailerSetting } from '../../../edge/identity/mailer-settings.ts'
import { ERROR_CODES } from '../../../shared/errors/error-codes.ts'
import type { StartedStack } from '../stack.ts'
import { root } from './blocks.ts'
import { blockWith, documents, textsOf } from './documents.ts'
import { inlined, misdescribed } from './operation-samples.ts'

export function bodiesHold(stack: () => StartedStack): void {
  describe('the bodies shown in the documentation', () => {
    const served = async (url: string) => (await fetch(url)).json() as Promise<any>

    it('docs/api/ and docs/core-api/ match the OpenAPI descriptions', async () => {
      const edge = await served(`${stack().triggersUrl}/openapi.json`)
      const origin = await served(`${stack().baseUrl}/core/v1/openapi.json`)
      const faults = [...documents].flatMap(([page, blocks]) => {
        if (page.startsWith('docs/api/')) return misdescribed(blocks, edge)
        return page.startsWith('docs/core-api/') ? misdescribed(blocks, origin) : []
      })
      expect(faults).toEqual([])
    })

    it('docs/triggers.md shows valid trigger bodies', async () => {
      const edge = await served(`${stack().triggersUrl}/openapi.json`)
      const { schema } = edge.paths['/api/triggers'].post.requestBody.content['application/json']
      const body = z.fromJSONSchema(inlined(schema, edge))
      const shown = textsOf('docs/triggers.md', 'json').map((text) => JSON.parse(text))
      expect(shown.map(({ kind }) => kind)).toEqual(['webhook', 'schedule', 'chain_event'])
      for (const each of shown) expect(body.safeParse(each).error?.issues).toBeUndefined()
      expect(body.safeParse({ ...shown[0], kind: 'mail' }).success).toBe(false)
    })

    it('docs/chain-events.md shows valid configurations', () => {
      const shown = textsOf('docs/chain-events.md', 'json').map((text) => JSON.parse(text))
      expect(shown.length).toBeGreaterThan(0)
      const contract = { chain: 'base', contract_address: `0x${'a1'.repeat(20)}` }
      for (const config of shown)
        readChainConfig(config.transactions || config.factory ? config : { ...contract, ...config })
      const wrong = { ...contract, ...shown[0], where: { amount: { eq: '1' } } }
      expect(() => readChainEventConfig(wrong)).toThrow()
    })

    it('docs/errors.md shows a failure with a documented reason', () => {
      const [text = ''] = textsOf('docs/errors.md', 'json')
      const failure = JSON.parse(text) as Record<string, string>
      expect(Object.keys(failure)).toEqual(['error', 'reason', 'message', 'fix', 'docs_url'])
      expect(Object.keys(ERROR_CODES)).toContain(failure['reason'])
      expect(failure['docs_url']).toContain(`/docs/errors#${failure['reason']}`)
    })

    it('docs/configuration.md shows valid edge settings', () => {
      const [chains = '', mailer = ''] = textsOf('docs/configuration.md', 'json')
      expect(Object.keys(chainsSetting.parse(chains))).toEqual(['ethereum', 'base'])
      expect(mailerSetting.parse(mailer.replace('…', 'token'))).toMatchObject({ api: 'resend' })
    })

    it('docs/credits.md shows a page with a script that parses', () => {
      const [, script = ''] = /<script type="module">(.*?)<\/script>/s.exec(
        textsOf('docs/credits.md', 'html')[0]!,
      )!
      expect(() => new vm.Script(`(async () => {${script}})()`)).not.toThrow()
    })
  })

  describe('docs/deploy.md', () => {
    it('builds the image layer and fills in the measured values', async () => {
      const folder = mkdtempSync(join(stack().stateDir, 'deploy-'))
      const filled = textsOf('docs/deploy.md', 'json')[0]!
        .replace('<digest of step 1>', 'ab'.repeat(32))
        .replace('<66 hex characters>', `02${'cd'.repeat(32)}`)
        .replace('0x<AccountConfig>', `0x${'12'.repeat(20)}`)
        .replace('<address>', 'who@example.com')
        .replaceAll(/<(origin|edge)'s name>/g, '$1.example.com')
        .replaceAll(/<node (\d)>/g, 'node-$1.example.com')
        .replaceAll(/<(registry|name)>/g, '$1.example')
      writeFileSync(join(folder, 'deployment.json'), filled)
      const commands = blockWith('docs/deploy.md', 'npm run app-compose')
        .replace(' deployment.json', ` ${folder}/deployment.json`)
        .replace(' app-compose.json', ` ${folder}/app-compose.json`)
      const image = blockWith('docs/deploy.md', 'npm run image   ').replace('npm ci\n', '')
      expect(image).toContain(blockWith('docs/how-to/deploy.md', 'npm run image').trim())
      const { stdout } = await promisify(execFile)('bash', ['-ec', image + commands], { cwd: root })
      expect(stdout).toMatch(/sha256:[0-9a-f]{64}/)
      expect(stdout.trim()).toMatch(/[0-9a-f]{64}$/)
      expect(JSON.parse(readFileSync(join(folder, 'app-compose.json'), 'utf8'))).toHaveProperty(
        'docker_compose_file',
      )
    })
  })
}
