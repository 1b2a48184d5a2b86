/** Runs SKILL.md and its references as served. */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { approve } from '../../../origin/stack/approved-token.ts'
import type { StartedStack } from '../stack.ts'
import { referencesOf, stepsOf } from './guide.ts'
import { differs } from './sample.ts'
import { doAll, hasTools } from './walk.ts'

export function guideHolds(stack: () => StartedStack): void {
  describe('the agent guide', () => {
    const fetched = async (path: string) => (await fetch(`${stack().triggersUrl}/${path}`)).text()

    it.skipIf(!hasTools)(
      'SKILL.md and its references work for an agent without other knowledge',
      async () => {
        const email = 'agent-owner@example.com'
        const account = await fetch(`${stack().baseUrl}/core/v1/new_account`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ account_name: email, account_description: '' }),
        })
        const { api_key: accountKey } = (await account.json()) as { api_key: string }
        const skill = await fetched('SKILL.md')
        const steps = stepsOf('SKILL.md', skill)
        for (const path of referencesOf(skill)) steps.push(...stepsOf(path, await fetched(path)))
        expect(steps.length).toBeGreaterThan(30)
        const open = (url: string, code?: string) => approve(url, email, code)
        const person = { email, accountKey, open }
        const home = mkdtempSync(join(stack().stateDir, 'agent-'))
        await doAll(steps, { home, caFile: stack().stack.caFile, person })

        const inHome = { env: { ...process.env, HOME: home } }
        const readableByOthers = ['-c', 'find ~/.svc-agent -perm /077']
        expect((await promisify(execFile)('sh', readableByOthers, inHome)).stdout).toBe('')
        // Command injection by an API response: the guide must not print it for the person's shell to run.
        const injected = ['-c', `. ~/.svc-agent/env; permit 'Qm"; touch ~/run; "'`]
        await expect(promisify(execFile)('sh', injected, inHome)).rejects.toMatchObject({
          code: 1,
          stdout: '',
        })
      },
      120_000,
    )

    it('names only operations that the core API describes', async () => {
      const description = await (await fetch(`${stack().baseUrl}/core/v1/openapi.json`)).json()
      const known = Object.keys((description as { paths: object }).paths)
      const skill = await fetched('SKILL.md')
      const texts = await Promise.all(['SKILL.md', ...referencesOf(skill)].map(fetched))
      const named = texts.flatMap((text) => [
        ...[...text.matchAll(/\/core\/v1\/([a-z_/.]+)/g)].map(([, name]) => name!),
        ...[...text.matchAll(/\bcore ([a-z_]+) -d/g)].map(([, name]) => name!),
      ])
      expect(new Set(named).size).toBeGreaterThan(6)
      expect(named.filter((name) => !known.includes(`/core/v1/${name}`))).toEqual([])
    })

    it.each([
      ['of a language that nobody runs', '```sh\ntrue\n```\n\n```python\nprint(1)\n```\n'],
      ['of no language', '```sh\ntrue\n```\n\n```\nhello\n```\n'],
      ['that shows the output of nothing', '```json\n{}\n```\n'],
      [
        'that is a second sample of one output',
        '```sh\ntrue\n```\n```text\n1\n```\n```text\n2\n```\n',
      ],
      [
        'whose request nobody understands',
        '```sh\ntrue\n```\n**Ask the person** for their account key.\n',
      ],
    ])('cannot contain a block %s', (_, markdown) => {
      expect(() => stepsOf('a guide', markdown)).toThrow('a guide')
    })

    it.each([
      ['json', '{"a": "…b", "c": [1]}', '{"a":"ab","c":[1]}', true],
      ['json', '{"a": 1}', '{"a": 1, "b": 2}', false],
      ['json', '{"a": 1, "b": 2}', '{"a": 1}', false],
      ['json', '{"a": [1]}', '{"a": [2]}', false],
      ['json', '{} {}', '{}', false],
      ['text', 'a … c', 'a b c', true],
      ['text', 'a … c', 'a b d', false],
    ] as const)('compares %s sample %s with output %s: %s', (language, text, printed, isSame) => {
      expect(differs({ language, text }, printed) === undefined).toBe(isSame)
    })
  })
}
