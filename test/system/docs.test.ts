/** Every block of README.md, docs/ and the guide for agents, on one stack: as its reader would do it, in the order of the page. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import vm from 'node:vm'
import { promisify } from 'node:util'
import { verifyMessage } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { chainsSetting } from '../../edge/chain/chain-settings.ts'
import { mailerSetting } from '../../edge/identity/mailer-settings.ts'
import { approve } from '../../origin/stack/approved-token.ts'
import { choosePorts } from '../../origin/stack/ports.ts'
import { ERROR_CODES } from '../../shared/error-codes.ts'
import { type ProcessorDouble, startProcessor } from '../doubles/processor/server.ts'
import {
  type Block,
  blocksIn,
  blocksOf,
  canBeOutput,
  fileOf,
  isCommands,
  pages,
  root,
} from './docs/blocks.ts'
import { ELSEWHERE, isOf } from './docs/elsewhere.ts'
import { inlined, misdescribed } from './docs/operation-samples.ts'
import { readPage } from './docs/page-shell.ts'
import { misshapen } from './docs/shape.ts'
import { referencesOf, stepsOf } from './skill/guide.ts'
import { differs } from './skill/sample.ts'
import { doAll, hasTools } from './skill/walk.ts'
import { anyPorts, type StartedStack, startStack } from './stack.ts'

const all = new Map(pages().map((page) => [page, blocksOf(page)]))
const isElsewhere = (block: Block) => ELSEWHERE.some((entry) => isOf(entry, block))
/** What is typed, saved or compared here, of a page. */
const hereOf = (page: string) => all.get(page)!.filter((block) => !isElsewhere(block))
const texts = (page: string, language: string) =>
  all.get(page)!.flatMap((block) => (block.language === language ? [block.text] : []))
const having = (page: string, text: string) =>
  all.get(page)!.find((block) => block.text.includes(text))!.text

let processor: ProcessorDouble
let started: StartedStack
beforeAll(async () => {
  processor = await startProcessor()
  // Known before: what actions may reach is said when the origin starts.
  const { chain } = await choosePorts(anyPorts)
  const settings = { ...processor.settings, SVC_OUTBOUND_ALLOW: `localhost:${chain}` }
  const environment = { ...anyPorts, SVC_CHAIN_PORT: String(chain) }
  started = await startStack(settings, undefined, environment)
})
afterAll(async () => {
  await started?.stop()
  await processor?.close()
})

/** What the pages have, and what it is on this stack. */
const inPlaceOf = () => ({
  'https://localhost:8788': started.baseUrl,
  'http://localhost:8787': started.triggersUrl,
  'http://localhost:8545': started.stack.chainUrl,
  '.svc/tls/ca.pem': started.stack.caFile,
  '.svc/metrics-token': join(started.stateDir, 'metrics-token'),
  'https://api.stripe.com': processor.url,
  "'svc/client'": JSON.stringify(`${root}shared/client/index.ts`),
})

describe('the blocks of the documents', () => {
  it('are all typed by a reader, compared with what was printed, or listed with where else', () => {
    const neither = [...all.values()].flatMap((blocks) =>
      blocks
        .filter((block, index) => {
          if (isElsewhere(block) || isCommands(block) || fileOf(block) !== undefined) return false
          return !(canBeOutput(block) && index > 0 && isCommands(blocks[index - 1]!))
        })
        .map(({ page, line, language }) => `${page}:${line} (${language || 'no language'})`),
    )
    expect(neither).toEqual([])
  })

  it('that are listed are there, each of them once, and what runs them reads the page', () => {
    const blocks = [...all.values()].flat()
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
  ])('could not be %s, which nobody would run', (_, markdown) => {
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
    ['converted', 'reverted', false],
  ])('that show %s would not show %s: %s', (shown, printed, isSame) => {
    expect(misshapen(shown, printed) === undefined).toBe(isSame)
  })
})

/** `docs/core-api/` of one of its pages. */
const folderOf = (page: string) => page.replace(/[^/]+$/, '')

const ofByHand = (text: string) => having('docs/by-hand.md', text)
const definitions = () => ofByHand('core() {')
const account = `
  API_KEY=$(core $BASE_URL/core/v1/new_account -d '{"account_name":"a","account_description":""}' | field .api_key)
  USAGE_KEY=$(core $BASE_URL/core/v1/add_usage_api_key -H "x-api-key: $API_KEY" -d '{"name":"execute only"}' | field .usage_api_key)
`
const prepared = () =>
  hereOf('docs/how-to/prepare.md')
    .filter(isCommands)
    .map(({ text }) => text)
/** A person's token, and the challenge of another. */
const token = () =>
  ['curl -sS -o /dev/null $TRIGGERS_URL/sign-in', 'TOKEN=$(openssl', 'CSRF=$(curl'].map(ofByHand)

type Reading = { before?: string[]; inPlaceOf?: Record<string, string>; prints?: string[] }

/** What pages take for granted, and how some end that never would. */
const READINGS: Record<string, () => Reading> = {
  'docs/credits.md': () => ({ before: [definitions(), account], prints: ['day,api_key_hash,'] }),
  'docs/by-hand.md': () => ({ prints: ['"status":"success"', '"message":"hello from a webhook"'] }),
  'docs/triggers.md': () => ({
    before: [definitions(), ofByHand('TOKEN=$(openssl')],
    prints: ['"user_code"'],
  }),
  'docs/chain-events.md': () => ({
    before: [definitions(), account, ...token()],
    // The chain that this stack watches, and a key that it knows.
    inPlaceOf: { '"chain": "base"': '"chain": "ethereum"', '"..."': `"'"$USAGE_KEY"'"` },
    prints: ['"canonical_signature":"Transfer(address,address,uint256)"'],
  }),
  'docs/cli.md': () => ({
    before: [`echo 'const main = (params) => params' > /tmp/action.js`],
    inPlaceOf: {
      'svc up ': 'true ',
      ' action.js': ' /tmp/action.js',
      'svc trigger tail greeter': `svc trigger fire greeter --no-wait --body '{}'; svc trigger tail greeter --once --since 2026-01-01T00:00:00Z`,
    },
    prints: ['success'],
  }),
  'docs/receipts.md': () => ({
    before: [
      ...prepared().slice(0, 1),
      `echo 'const main = () => 1' > /tmp/a.js
       svc group create --action /tmp/a.js > /tmp/made
       svc key create --execute-in 1 > /tmp/made
       svc run /tmp/a.js --receipt /tmp/receipts.txt`,
    ],
    // 3 is SIMULATED.
    inPlaceOf: {
      'https://origin.example --save bundle.json': `${started.baseUrl} --save /tmp/bundle.json || test $? = 3`,
      ' bundle.json': ' /tmp/bundle.json',
      ' receipts.txt': ' /tmp/receipts.txt',
    },
  }),
}

const readable = [...all.keys()].filter((page) => hereOf(page).some(isCommands))

describe.skipIf(!hasTools)('a reader of the documents', () => {
  it.concurrent.each(readable)(
    'does what %s says, and sees what it shows',
    async (page) => {
      const howTo = page.startsWith('docs/how-to/') && page !== 'docs/how-to/prepare.md'
      const given: Reading = { before: howTo ? prepared() : [], ...READINGS[page]?.() }
      const folder = mkdtempSync(join(started.stateDir, 'reader-'))
      const blocks = hereOf(page)
      const printed = await readPage(
        blocks,
        {
          folder,
          environment: {
            SVC_STATE_DIR: started.stateDir,
            // Most of what a command takes is to read its sources.
            NODE_COMPILE_CACHE: join(started.stateDir, 'compiled'),
          },
          inPlaceOf: { ...given.inPlaceOf, '/tmp/': `${folder}/`, ...inPlaceOf() },
          open: (url, code) => approve(url, `${page.replaceAll(/\W/g, '-').toLowerCase()}@example.com`, code),
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
    180_000,
  )
})

/** What does not depend on the stack: each rule with its outcome, and the verdict. */
const outcomesIn = (text: string) =>
  text.match(/^(\d {2}.{14} {2}[A-Z ]{14}|SIMULATED:.*|HARDWARE:.*|FAILED:.*)/gm)

it('README.md’s command verifies a stack, with the output that is printed there', async () => {
  const blocks = all.get('README.md')!
  const at = blocks.findIndex(({ text }) => text.includes('svc verify https://localhost:8788\n'))
  const output = blocks[at + 1]!.text
  const script = blocks[at]!.text.replace('https://localhost:8788', started.baseUrl)
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

/** Samples as one program, against this stack. @returns the lines that it printed */
async function programOf(samples: string[]): Promise<string[]> {
  let program = samples.join('\n')
  for (const [there, here] of Object.entries(inPlaceOf())) program = program.replaceAll(there, here)
  const child = spawn(process.execPath, ['--input-type=module'], {
    cwd: root,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: started.stack.caFile },
  })
  const errors: string[] = []
  child.stderr.on('data', (chunk) => errors.push(String(chunk)))
  const code = new Promise((resolve) => child.on('close', resolve))
  child.stdin.end(program)
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    const url = /^open (\S+) and compare [0-9A-Z]{4}-[0-9A-Z]{4}$/.exec(line)?.[1]
    if (url !== undefined) await started.browser(url)
  }
  expect(await code, errors.join('')).toBe(0)
  return lines
}

it('the samples of docs/client.md work as they are printed, one after the other', async () => {
  const lines = await programOf(texts('docs/client.md', 'js'))
  const output = lines.join('\n')
  const signature = /^(0x[0-9a-f]{130}) 1 \S+\.\S+\.\S+$/m.exec(output)?.[1]
  const wallet = verifyMessage('hello', signature!)
  expect(lines).toContain(wallet)
  expect(output).toMatch(/webhook\/\S+ \[/)
  expect(output).toMatch(/^success \{\s+message: 'from a webhook',\s+signature: '0x/m)
  expect(output).toMatch(/^\S{48} success$/m)
  expect(output).toContain('SIMULATED')
}, 120_000)

it('the samples of docs/chain-secured.md work as they are printed, with a wallet for each account', async () => {
  const [opened, converted, worked, handed] = texts('docs/chain-secured.md', 'js')
  const lines = await programOf([
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
}, 120_000)

it('the sample of docs/receipts.md seals a call to the origin that it has verified', async () => {
  const lines = await programOf([
    `import { createClient } from 'svc/client'
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
    ...texts('docs/receipts.md', 'ts'),
    `console.log(JSON.stringify(outcome), typeof receipt)`,
  ])
  expect(lines.join('\n')).toMatch(/sealed.* (string|object)$/)
}, 60_000)

it('docs/actions.md shows a failure as it is answered', async () => {
  const core = async (path: string, body: unknown, key = '') => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const url = `${started.baseUrl}/core/v1/${path}`
    return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const made = await core('new_account', { account_name: 'fails', account_description: '' })
  const { api_key: key } = (await made.json()) as { api_key: string }
  await core('add_group', { group_name: 'all', cid_hashes_permitted: ['0'] }, key)
  const code = `async function main() { console.log(1); throw new Error('no') }`
  const answer = await core('svc_action', { code, js_params: {} }, key)
  const word = `x-svc-error: ${answer.headers.get('x-svc-error')}`
  const shown = having('docs/actions.md', 'x-svc-error:')
  expect(misshapen(shown, `${word}\n\n${await answer.text()}`)).toBeUndefined()
})

describe('the bodies that the documents show', () => {
  const served = async (url: string) => (await fetch(url)).json() as Promise<any>

  it('of docs/api.md and docs/core-api/ are what the descriptions say', async () => {
    const edge = await served(`${started.triggersUrl}/openapi.json`)
    const origin = await served(`${started.baseUrl}/core/v1/openapi.json`)
    const faults = [...all].flatMap(([page, blocks]) => {
      if (page === 'docs/api.md') return misdescribed(blocks, edge)
      return page.startsWith('docs/core-api/') ? misdescribed(blocks, origin) : []
    })
    expect(faults).toEqual([])
  })

  it('of docs/triggers.md make triggers', async () => {
    const edge = await served(`${started.triggersUrl}/openapi.json`)
    const { schema } = edge.paths['/api/triggers'].post.requestBody.content['application/json']
    const body = z.fromJSONSchema(inlined(schema, edge))
    const shown = texts('docs/triggers.md', 'json').map((text) => JSON.parse(text))
    expect(shown.map(({ kind }) => kind)).toEqual(['webhook', 'schedule', 'chain_event'])
    for (const each of shown) expect(body.safeParse(each).error?.issues).toBeUndefined()
    expect(body.safeParse({ ...shown[0], kind: 'mail' }).success).toBe(false)
  })

  it('of docs/errors.md is a failure, by one of the words', () => {
    const [text = ''] = texts('docs/errors.md', 'json')
    const failure = JSON.parse(text) as Record<string, string>
    expect(Object.keys(failure)).toEqual(['error', 'message', 'fix', 'docs_url'])
    expect(Object.keys(ERROR_CODES)).toContain(failure['error'])
    expect(failure['docs_url']).toContain(`/docs/errors#${failure['error']}`)
  })

  it('of docs/configuration.md are settings that the edge takes', () => {
    const [chains = '', mailer = ''] = texts('docs/configuration.md', 'json')
    expect(Object.keys(chainsSetting.parse(chains))).toEqual(['ethereum', 'base'])
    expect(mailerSetting.parse(mailer.replace('…', 'token'))).toMatchObject({ api: 'resend' })
  })

  it('of docs/credits.md is a page whose script can be read', () => {
    const [, script = ''] = /<script type="module">(.*?)<\/script>/s.exec(
      texts('docs/credits.md', 'html')[0]!,
    )!
    expect(() => new vm.Script(`(async () => {${script}})()`)).not.toThrow()
  })
})

describe('docs/deploy.md', () => {
  it('builds the image’s layer, and fills in what is measured', async () => {
    const folder = mkdtempSync(join(started.stateDir, 'deploy-'))
    const filled = texts('docs/deploy.md', 'json')[0]!
      .replace('<digest of step 1>', 'ab'.repeat(32))
      .replace('<66 hex characters>', `02${'cd'.repeat(32)}`)
      .replace('0x<AccountConfig>', `0x${'12'.repeat(20)}`)
      .replace('<address>', 'who@example.com')
      .replaceAll(/<(origin|edge)'s name>/g, '$1.example.com')
      .replace('https://<node>', 'https://node.example.com')
      .replaceAll(/<(registry|name)>/g, '$1.example')
    writeFileSync(join(folder, 'deployment.json'), filled)
    const commands = having('docs/deploy.md', 'npm run app-compose')
      .replace(' deployment.json', ` ${folder}/deployment.json`)
      .replace(' app-compose.json', ` ${folder}/app-compose.json`)
    const image = having('docs/deploy.md', 'npm run image   ').replace('npm ci\n', '')
    const { stdout } = await promisify(execFile)('bash', ['-ec', image + commands], { cwd: root })
    expect(stdout).toMatch(/sha256:[0-9a-f]{64}/)
    expect(stdout.trim()).toMatch(/[0-9a-f]{64}$/)
    expect(JSON.parse(readFileSync(join(folder, 'app-compose.json'), 'utf8'))).toHaveProperty(
      'docker_compose_file',
    )
  }, 120_000)
})

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
