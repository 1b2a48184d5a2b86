/** Runs samples that are programs, and checks output that a reader would compare by eye. */
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { verifyMessage } from 'ethers'
import { expect, it } from 'vitest'
import { SEND_TRANSACTION_SOURCE } from '../../../shared/wire/send-transaction-action.ts'
import type { StartedStack } from '../stack.ts'
import { root } from './blocks.ts'
import { blockWith, documents, textsOf } from './documents.ts'
import { inPlaceOf } from './in-place-of.ts'
import { misshapen } from './shape.ts'

/** Lines that do not depend on the stack: each rule with its outcome, and the verdict. */
const outcomesIn = (text: string) =>
  text.match(/^(\d {2}.{14} {2}[A-Z ]{14}|SIMULATED:.*|HARDWARE:.*|FAILED:.*)/gm)

/** Runs samples as one program against this stack. @returns the lines it printed */
async function programOf(stack: StartedStack, samples: string[]): Promise<string[]> {
  let program = samples.join('\n')
  for (const [there, here] of Object.entries(inPlaceOf(stack)))
    program = program.replaceAll(there, here)
  const child = spawn(process.execPath, ['--input-type=module'], {
    cwd: root,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: stack.stack.caFile },
  })
  const errors: string[] = []
  child.stderr.on('data', (chunk) => errors.push(String(chunk)))
  const code = new Promise((resolve) => child.on('close', resolve))
  child.stdin.end(program)
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    const url = /^open (\S+) and compare [0-9A-Z]{4}-[0-9A-Z]{4}$/.exec(line)?.[1]
    if (url !== undefined) await stack.browser(url)
  }
  expect(await code, errors.join('')).toBe(0)
  return lines
}

export function programsWork(stack: () => StartedStack): void {
  it('shows the same action in README.md as its commands run', () => {
    const [action] = textsOf('README.md', 'js')
    expect(blockWith('README.md', 'svc account create')).toContain(`\n${action}EOF_ACTION\n`)
  })

  it('shows the source of the built-in action in docs/accounts.md', () => {
    expect(textsOf('docs/accounts.md', 'js')).toContain(SEND_TRANSACTION_SOURCE)
  })

  it('verifies a stack with the command in README.md and prints the output shown there', async () => {
    const blocks = documents.get('README.md')!
    const at = blocks.findIndex(({ text }) => text.includes('svc verify https://localhost:8788\n'))
    const output = blocks[at + 1]!.text
    const script = blocks[at]!.text.replace('https://localhost:8788', stack().baseUrl)
    const env = { ...process.env, SVC_STATE_DIR: stack().stateDir }
    const ran = await new Promise<{ code: unknown; stdout: string }>((resolve) =>
      execFile('bash', ['-c', script], { cwd: root, env }, (error, stdout) =>
        resolve({ code: error?.code, stdout }),
      ),
    )
    expect(outcomesIn(output)).toHaveLength(8)
    expect(outcomesIn(ran.stdout)).toEqual(outcomesIn(output))
    expect(ran.code).toBe(3)
  })

  it('runs the samples of docs/client.md in order', async () => {
    const lines = await programOf(stack(), textsOf('docs/client.md', 'js'))
    const output = lines.join('\n')
    const signature = /^(0x[0-9a-f]{130}) 1 \S+\.\S+\.\S+$/m.exec(output)?.[1]
    const wallet = verifyMessage('hello', signature!)
    expect(lines).toContain(wallet)
    expect(output).toMatch(/webhook\/\S+ \[/)
    expect(output).toMatch(/^success \{\s+message: 'from a webhook',\s+signature: '0x/m)
    expect(output).toMatch(/^\S{48} success$/m)
    expect(output).toContain('SIMULATED')
  })

  it('runs the samples of docs/chain-secured.md, with one wallet per account', async () => {
    const [opened, converted, worked, handed] = textsOf('docs/chain-secured.md', 'js')
    const lines = await programOf(stack(), [
      `import { fundedWallets } from ${JSON.stringify(`${root}origin/stack/funded-wallets.ts`)}
     const { wallet, close } = fundedWallets('http://localhost:8545')
     const baseUrl = 'https://localhost:8788'
     let signer = await wallet()`,
      opened!,
      `signer = await wallet()
     const { api_key: apiKey } = await createClient({ baseUrl }).newAccount({ account_name: 'converted' })`,
      converted!,
      `const [code, js_params] = ['const main = () => 1', {}]
     const action_ipfs_cid = await client.getSvcActionIpfsId(code)
     const newAdmin = (await wallet()).address`,
      worked!,
      handed!,
      `console.log('handed on'); close()`,
    ])
    expect(lines).toEqual(['handed on'])
  })

  it('seals a call to the verified origin with the sample of docs/receipts.md', async () => {
    const lines = await programOf(stack(), [
      `import { createClient } from '@svc-run/client'
     import { clientPolicy } from ${JSON.stringify(`${root}shared/client/verification/client-policy.ts`)}
     import { verifyOrigin } from ${JSON.stringify(`${root}shared/client/verification/trusted-origin.ts`)}
     import { sealedSvcAction } from ${JSON.stringify(`${root}shared/client/verification/sealed-svc-action.ts`)}
     const baseUrl = 'https://localhost:8788'
     const url = baseUrl
     const policy = clientPolicy(baseUrl, 'once', undefined)
     const [random, now] = [(length) => crypto.getRandomValues(new Uint8Array(length)), () => Date.now()]
     const client = createClient({ baseUrl })
     const { api_key: apiKey } = await client.newAccount({ account_name: 'sealed' })
     const [code, jsParams] = ['const main = () => "sealed"', {}]
     const { group_id } = await client.addGroup({ group_name: 'all' })
     await client.addActionToGroup({ group_id, action_ipfs_cid: await client.getSvcActionIpfsId(code) })`,
      ...textsOf('docs/receipts.md', 'ts'),
      `console.log(JSON.stringify(outcome), typeof receipt)`,
    ])
    expect(lines.join('\n')).toMatch(/sealed.* (string|object)$/)
  })

  it('returns a failed action as shown in docs/actions.md', async () => {
    const core = async (path: string, body: unknown, key = '') => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key }
      const url = `${stack().baseUrl}/core/v1/${path}`
      return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    const made = await core('new_account', { account_name: 'fails', account_description: '' })
    const { api_key: key } = (await made.json()) as { api_key: string }
    await core('add_group', { group_name: 'all', cid_hashes_permitted: ['0'] }, key)
    const code = `async function main() { console.log(1); throw new Error('no') }`
    const answer = await core('svc_action', { code, js_params: {} }, key)
    const word = `x-svc-error: ${answer.headers.get('x-svc-error')}`
    const shown = blockWith('docs/actions.md', 'x-svc-error:')
    expect(misshapen(shown, `${word}\n\n${await answer.text()}`)).toBeUndefined()
  })
}
