import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifyMessage } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve } from '../../origin/stack/approved-token.ts'
import { referencesOf, stepsOf } from './skill/guide.ts'
import { differs } from './skill/sample.ts'
import { doAll, hasTools } from './skill/walk.ts'
import { type StartedStack, startStack } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let started: StartedStack
beforeAll(async () => {
  started = await startStack()
})
afterAll(() => started.stop())

const readme = readFileSync(`${root}/README.md`, 'utf8')
const sectionOf = (title: string) =>
  readme.split('\n## ').find((part) => part.startsWith(title)) ?? ''

/** The commands of the walk, in order, with this stack's addresses in place of the default ones. */
function walk(): string {
  const section = sectionOf('Walk through it yourself')
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!)
  return blocks
    .filter((block) => block.trim() !== 'npm start')
    .map((block) => (block.includes('/api/runs/$RUN') ? `sleep 3\n${block}` : block))
    .join('\n')
    .replaceAll('https://localhost:8788', started.baseUrl)
    .replaceAll('http://localhost:8787', started.triggersUrl)
    .replaceAll('.svc/tls/ca.pem', started.stack.caFile)
}

it('the README’s steps work as they are printed, up to a signed run', async () => {
  const script = `set -euo pipefail\n${walk()}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: root })
  const address = /"wallet_address":"(0x[0-9a-fA-F]{40})","pkp_id"/.exec(stdout)?.[1]
  const signed = /"response":(\{"message":"hello from a webhook"[^}]*\})/.exec(stdout)?.[1]
  const { message, signature } = JSON.parse(signed!) as { message: string; signature: string }
  expect(stdout).toContain('"status":"success"')
  expect(verifyMessage(message, signature)).toBe(address)
}, 120_000)

/** What does not depend on the stack: each rule with its outcome, and the verdict. */
const outcomesIn = (text: string) =>
  text.match(/^(\d {2}.{14} {2}[A-Z ]{14}|SIMULATED:.*|HARDWARE:.*|FAILED:.*)/gm)

it('the README’s command verifies a stack, with the output that is printed there', async () => {
  const [, command = '', output = ''] =
    /^```sh\n(.+?)\n```$.*?^```\n(.*?)^```$/ms.exec(sectionOf('Check what runs')) ?? []
  const script = command.replace('https://localhost:8788', started.baseUrl)
  const env = { ...process.env, SVC_STATE_DIR: started.stateDir }
  const ran = await new Promise<{ code: unknown; stdout: string }>((resolve) =>
    execFile('bash', ['-c', script], { cwd: root, env }, (error, stdout) =>
      resolve({ code: error?.code, stdout }),
    ),
  )
  expect(outcomesIn(output)).toHaveLength(8)
  expect(outcomesIn(ran.stdout)).toEqual(outcomesIn(output))
  expect(ran.code).toBe(3)
})

/** The program that the samples of the client's guide are when they are read in order, against this stack. */
function guide(): string {
  const text = readFileSync(`${root}/docs/client.md`, 'utf8')
  const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]!)
  return blocks
    .join('\n')
    .replaceAll('https://localhost:8788', started.baseUrl)
    .replaceAll('http://localhost:8787', started.triggersUrl)
    .replaceAll("'svc/client'", JSON.stringify(`${root}/shared/client/index.ts`))
}

it('the samples of docs/client.md work as they are printed, one after the other', async () => {
  const child = spawn(process.execPath, ['--input-type=module'], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: started.stack.caFile },
  })
  const errors: string[] = []
  child.stderr.on('data', (chunk) => errors.push(String(chunk)))
  const code = new Promise((resolve) => child.on('close', resolve))
  child.stdin.end(guide())
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    const url = /^open (\S+) and compare [0-9A-Z]{4}-[0-9A-Z]{4}$/.exec(line)?.[1]
    if (url !== undefined) await started.browser(url)
  }
  expect(errors.join('').replaceAll(/^.*ExperimentalWarning.*$/gm, '')).not.toContain('Error')
  expect(await code).toBe(0)
  const output = lines.join('\n')
  const signature = /^(0x[0-9a-f]{130}) 1 \S+\.\S+\.\S+$/m.exec(output)?.[1]
  const wallet = verifyMessage('hello', signature!)
  expect(lines).toContain(wallet)
  expect(output).toMatch(/webhook\/\S+ \[/)
  expect(output).toMatch(/^success \{\s+message: 'from a webhook',\s+signature: '0x/m)
  expect(output).toMatch(/^\S{48} success$/m)
  expect(output).toContain('SIMULATED')
}, 120_000)

describe('the guide for agents', () => {
  const fetched = async (path: string) => (await fetch(`${started.triggersUrl}/${path}`)).text()

  it.skipIf(!hasTools)(
    'SKILL.md and its references work as they are served, for an agent that knows nothing else',
    async () => {
      const email = 'agent-owner@example.com'
      const account = await fetch(`${started.baseUrl}/core/v1/new_account`, {
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
      const home = mkdtempSync(join(started.stateDir, 'agent-'))
      await doAll(steps, { home, caFile: started.stack.caFile, person })

      const inHome = { env: { ...process.env, HOME: home } }
      const readableByOthers = ['-c', 'find ~/.svc-agent -perm /077']
      expect((await promisify(execFile)('sh', readableByOthers, inHome)).stdout).toBe('')
      // Of an API that answers a command: it is not shown to the person, whose shell would run it.
      const injected = ['-c', `. ~/.svc-agent/env; permit 'Qm"; touch ~/run; "'`]
      await expect(promisify(execFile)('sh', injected, inHome)).rejects.toMatchObject({
        code: 1,
        stdout: '',
      })
    },
    120_000,
  )

  it('names no operation of the core API that its description does not have', async () => {
    const description = await (await fetch(`${started.baseUrl}/core/v1/openapi.json`)).json()
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
  ])('could have no block %s', (_, markdown) => {
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
  ] as const)('would not show %s %s for %s: %s', (language, text, printed, isSame) => {
    expect(differs({ language, text }, printed) === undefined).toBe(isSame)
  })
})
