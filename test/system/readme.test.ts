import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifyMessage } from 'ethers'
import { afterAll, beforeAll, expect, it } from 'vitest'
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
