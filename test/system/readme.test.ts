import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
