/** `svc deploy` against a stack, with the commands of docs/projects.md. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JsonRpcProvider, NonceManager, Wallet as EthersWallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApprovedToken } from '../../origin/stack/approved-token.ts'
import { createClient } from '../../shared/client/index.ts'
import { type Ran, type Surroundings, svc } from '../shared/cli/command-line.ts'
import { type StartedStack, startStack } from './stack.ts'

const POLICY = {
  version: 1,
  change_delay_s: 3600,
  rules: [{ name: 'orders', effect: 'allow', kind: 'message', messages: [{ prefix: 'orders: ' }] }],
}
const LOOSE = { ...POLICY, rules: [{ ...POLICY.rules[0], messages: 'any' }] }

const PROJECT = {
  version: 1,
  name: 'shop',
  actions: { sign: 'sign.ts', idle: 'idle.js' },
  wallets: { treasury: { policy: 'policy.json' }, ops: {} },
  groups: {
    signers: { actions: ['sign'], wallets: ['treasury'] },
    watchers: { actions: ['idle', 'sign'] },
  },
  keys: {
    runner: { execute_in_groups: ['signers'], spend_cap_cents: 500, spend_window_seconds: 86400 },
    watcher: {
      execute_in_groups: ['watchers', 'signers'],
      limits: {
        expires_at: '2099-01-01T01:00:00+01:00',
        max_requests_per_minute: 600,
        max_concurrent: 8,
        allowed_ips: ['127.0.0.0/8', '::/0', '0.0.0.0/0'],
        allow_triggers: true,
      },
    },
  },
  triggers: {
    orders: {
      kind: 'webhook',
      action: 'sign',
      key: 'runner',
      default_params: { wallet: '${wallet:treasury}', ratio: 0.5 },
      options: { pass_headers: ['X-Region'] },
    },
    nightly: {
      kind: 'schedule',
      action: 'idle',
      key: 'watcher',
      config: { cron: '0 3 * * *' },
      enabled: false,
    },
    transfers: {
      kind: 'chain_event',
      action: 'idle',
      key: 'watcher',
      config: {
        chain: 'ethereum',
        addresses: ['${wallet:ops}', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
        event_signature: 'Transfer(address indexed from, address indexed to, uint256 value)',
        where: { value: { gte: '1000000' } },
      },
    },
  },
  environments: { staging: { triggers: { transfers: null, nightly: null } } },
}

const SIGN = `type Params = { wallet: string; event: { id: number } }
export async function main({ wallet, event }: Params) {
  return Svc.Actions.signMessage({ pkpId: wallet, message: 'orders: ' + event.id })
}
declare const Svc: any
`

let started: StartedStack
let folder: string
beforeAll(async () => {
  started = await startStack()
  folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
  write('svc.json', PROJECT)
  write('sign.ts', SIGN)
  write('idle.js', 'async function main() {}')
  write('policy.json', POLICY)
})
afterAll(async () => {
  await started?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function write(name: string, content: string | object): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(join(folder, name), text)
}

/** A user’s machine: a configuration folder, and the addresses of the deployment. */
async function machine(
  name: string,
  urls: { baseUrl: string; triggersUrl: string },
  variables: Record<string, string>,
) {
  const environment = {
    SVC_CONFIG_DIR: join(folder, name),
    SVC_BASE_URL: urls.baseUrl,
    SVC_TRIGGERS_URL: urls.triggersUrl,
    SVC_CA_FILE: started.stack.caFile,
    ...variables,
  }
  const run = (words: string, around: Surroundings = {}) =>
    svc(words.split(' '), { environment, folder, ...around })
  const json = async (words: string) => {
    const { code, out, err } = await run(`${words} --json`)
    expect(code, err).toBe(0)
    return JSON.parse(out)
  }
  return { run, json }
}
type Machine = Awaited<ReturnType<typeof machine>>

/** A machine with a new account, and a token of a new user. */
async function withAccount(name: string, urls: { baseUrl: string; triggersUrl: string } = started) {
  const { token } = await createApprovedToken(started.triggersUrl, `${name}@example.com`)
  const made = await machine(name, urls, { SVC_TOKEN: token })
  await made.json('account create')
  return { ...made, token }
}

const changesOf = (deployed: { changes: { change: string; name: string }[] }) =>
  deployed.changes.map(({ change, name }) => `${change} ${name}`)

type Mode = { forwarded: number; isLastLost: boolean }

/**
 * Proxies of both services that crash the command line: they forward some writes, and then abort the command, either before
 * the next write reaches the service, or before its response reaches the command.
 */
async function startCrashingProxies() {
  let left = Number.POSITIVE_INFINITY
  let isLastLost = false
  let crash = () => {}
  const close: (() => void)[] = []
  const proxyOf = async (target: string) => {
    const server = createServer((request, response) => {
      void (async () => {
        const body = await buffer(request)
        const isWrite = request.method !== 'GET'
        if (isWrite && left === 0 && !isLastLost) return crash()
        const {
          host: _host,
          connection: _connection,
          'content-length': _length,
          ...headers
        } = request.headers
        const answered = await fetch(target + request.url, {
          method: request.method!,
          headers: headers as Record<string, string>,
          ...(isWrite && { body }),
        })
        const text = Buffer.from(await answered.arrayBuffer())
        if (isWrite && left-- === 0) return crash()
        const passed = [...answered.headers].filter(
          ([name]) => !/^(content-(encoding|length)|transfer-encoding)$/.test(name),
        )
        response.writeHead(answered.status, Object.fromEntries(passed)).end(text)
      })().catch(() => response.destroy())
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    close.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://localhost:${(server.address() as AddressInfo).port}`
  }
  return {
    urls: {
      baseUrl: await proxyOf(started.baseUrl),
      triggersUrl: await proxyOf(started.triggersUrl),
    },
    /** Runs a command that crashes at one of its writes. */
    async crashing(run: Machine['run'], words: string, mode: Mode): Promise<Ran> {
      const crashed = new AbortController()
      left = mode.forwarded
      isLastLost = mode.isLastLost
      crash = () => crashed.abort(new Error('crashed'))
      try {
        return await run(words, { signal: crashed.signal })
      } finally {
        left = Number.POSITIVE_INFINITY
      }
    },
    close: () => close.forEach((one) => one()),
  }
}

describe('svc deploy', () => {
  it('continues after a crash at any write, before it is sent and after its response is lost', async () => {
    const proxies = await startCrashingProxies()
    const { run, json } = await withAccount('crashing', proxies.urls)
    let crashes = 0
    // Two writes are forwarded at times, because the replacement of a lost usage key needs two.
    const modes: Mode[] = [
      { forwarded: 0, isLastLost: true },
      { forwarded: 1, isLastLost: false },
      { forwarded: 2, isLastLost: false },
    ]
    for (;;) {
      const ran = await proxies.crashing(run, 'deploy --yes', modes[crashes % modes.length]!)
      if (ran.code === 0) break
      expect(ran, ran.err).toMatchObject({ code: 130 })
      expect(++crashes).toBeLessThan(40)
    }
    expect(crashes).toBeGreaterThan(5)
    expect(changesOf(await json('deploy --yes'))).toEqual([])
    const names = async (words: string) =>
      ((await json(words)) as { name: string }[]).map(({ name }) => name).toSorted()
    expect(await names('wallet list')).toEqual(['shop/ops', 'shop/treasury'])
    expect(await names('group list')).toEqual(['shop/signers', 'shop/watchers'])
    expect(await names('key list')).toEqual(['shop/runner', 'shop/watcher'])
    expect(await names('trigger list')).toEqual(['shop/nightly', 'shop/orders', 'shop/transfers'])
    const fired = await run('trigger fire shop/orders --body {"id":7}')
    expect(fired, fired.err + fired.out).toMatchObject({ code: 0 })
    expect(fired.out).toMatch(/0x[0-9a-f]{130}/)
    proxies.close()
  })

  it('deploys an environment beside another one and beside objects that were made by hand', async () => {
    const { json, token } = await withAccount('environments')
    await json('wallet create --name treasury')
    await json('group create --name signers --all-wallets')
    await json('key create --name runner --execute-in 1')
    const first = await json('deploy --yes')
    expect(first).toMatchObject({ project: 'shop', applied: true })
    const staging = await json('deploy --env staging --yes')
    expect(Object.keys(staging.triggers)).toEqual(['orders'])
    expect(staging.wallets.treasury).not.toBe(first.wallets.treasury)
    for (const words of ['deploy --yes --prune', 'deploy --env staging --yes --prune'])
      expect(changesOf(await json(words))).toEqual([])
    expect(((await json('group list')) as object[]).length).toBe(5)
    expect(((await json('key list')) as object[]).length).toBe(5)
    // Another machine has the account key, but none of the usage keys.
    const { json: elsewhere } = await machine('elsewhere', started, {
      SVC_TOKEN: token,
      SVC_API_KEY: accountKey('environments'),
    })
    expect(changesOf(await elsewhere('deploy --plan-only'))).toEqual([])
    write('svc.json', { ...PROJECT, triggers: {}, environments: { staging: {} } })
    try {
      const pruned = await json('deploy --env staging --yes --prune')
      expect(changesOf(pruned)).toEqual(['remove shop@staging/orders'])
    } finally {
      write('svc.json', PROJECT)
    }
    expect(changesOf(await json('deploy --yes --prune'))).toEqual([])
  })

  it('sets, changes and removes limits of a usage key', async () => {
    const { json } = await withAccount('limits')
    const deployed = async (limits?: object) => {
      const watcher = { execute_in_groups: ['watchers'], ...(limits && { limits }) }
      write('limited.json', { ...PROJECT, keys: { watcher }, triggers: {}, environments: {} })
      const made = await json('deploy --file limited.json --yes')
      const keys: { name: string }[] = await json('key list')
      return [changesOf(made), keys.find(({ name }) => name === 'shop/watcher')]
    }
    await deployed({ max_concurrent: 8, max_requests_per_minute: 600 })
    const update = ['update shop/watcher']
    expect(await deployed({ max_concurrent: 4, expires_at: '2099-01-01T00:00:00Z' })).toEqual([
      update,
      expect.objectContaining({
        max_concurrent: 4,
        max_requests_per_minute: null,
        expires_at: '2099-01-01T00:00:00.000Z',
      }),
    ])
    expect(await deployed()).toEqual([[], expect.objectContaining({ max_concurrent: 4 })])
    const none = expect.objectContaining({ max_concurrent: null, expires_at: null })
    expect(await deployed({})).toEqual([update, none])
  })

  it('sets the secret of a webhook’s sender from a file, and replaces it when the file changes', async () => {
    const { run, json } = await withAccount('sources')
    const orders = {
      ...PROJECT.triggers.orders,
      options: { source: 'github' },
      webhook_secret: { file: 'github-secret' },
    }
    write('sourced.json', { ...PROJECT, triggers: { orders }, environments: {} })
    const post = async (url: string, secret: string) => {
      const body = '{"id": 1}'
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      const headers = { 'x-hub-signature-256': `sha256=${signature}` }
      return (await fetch(url, { method: 'POST', body, headers })).status
    }
    const deploy = 'deploy --file sourced.json --yes'
    const missing = await run(deploy)
    expect(missing.code).toBe(2)
    expect(missing.err).toContain('triggers.orders.webhook_secret: the file github-secret')
    write('github-secret', 'first secret\n')
    const { id, url } = (await json(deploy)).triggers.orders
    expect([await post(url, 'first secret'), await post(url, 'second secret')]).toEqual([202, 401])
    expect(changesOf(await json(deploy))).toEqual([])
    write('github-secret', 'second secret\n')
    const { out, err } = await run(deploy)
    expect(out).toContain('gets the webhook secret from the file github-secret')
    expect(out + err).not.toContain('second secret')
    expect([await post(url, 'first secret'), await post(url, 'second secret')]).toEqual([401, 202])
    rmSync(join(folder, 'github-secret'))
    const without = await json(deploy)
    expect([changesOf(without), without.notes]).toEqual([
      [],
      [expect.stringContaining('shop/orders keeps its webhook secret')],
    ])
    expect((await json(`trigger show ${id}`)).options).toEqual({ source: 'github' })
  })

  it('keeps an earlier version of an action permitted until --prune, and says so', async () => {
    const { run, json } = await withAccount('versions')
    await json('deploy --yes')
    const idle = async () => (await run('run idle.js --key-name shop/watcher')).code
    expect(await idle()).toBe(0)
    const before = readFileSync(join(folder, 'idle.js'), 'utf8')
    write('changed.js', 'async function main() { return 2 }')
    write('svc.json', { ...PROJECT, actions: { ...PROJECT.actions, idle: 'changed.js' } })
    try {
      const changed = await run('deploy --yes')
      expect(changed.out).toContain(
        'note: the group shop/watchers still permits an earlier version of idle (Qm',
      )
      expect(await idle()).toBe(0)
      const pruned = await run('deploy --yes --prune')
      expect(pruned.out).toMatch(/! an earlier version of idle \(Qm\w+\) is no longer permitted/)
      expect(await idle()).toBe(4)
      expect(changesOf(await json('deploy --yes --prune'))).toEqual([])
    } finally {
      write('svc.json', PROJECT)
      write('idle.js', before)
    }
  })

  it('sets a policy that takes effect later, and does not set it again', async () => {
    const { run, json } = await withAccount('policies')
    await json('deploy --yes')
    write('policy.json', LOOSE)
    try {
      const loosened = await run('deploy --yes')
      expect(loosened.out).toContain(', after 1 hour\n  ! - orders: allows messages')
      expect(loosened.out).toMatch(/the policy 0x\w+ takes effect at 20/)
      const again = await json('deploy --yes')
      expect(changesOf(again)).toEqual([])
      expect(again.notes).toEqual([
        expect.stringContaining(
          'the policy policy.json of the wallet shop/treasury takes effect at',
        ),
      ])
    } finally {
      write('policy.json', POLICY)
    }
    expect((await run('deploy --yes')).out).toContain('cancels the pending policy')
    expect(changesOf(await json('deploy --yes'))).toEqual([])
  })

  it('changes nothing without confirmation', async () => {
    const { run, json } = await withAccount('careful')
    expect(await run('deploy')).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'Make these changes? Cannot ask for confirmation here: use --yes',
      ),
    })
    const declined = await run('deploy', { typed: 'n' })
    expect(declined).toMatchObject({ code: 0, out: expect.stringContaining('9 to create') })
    expect(declined.out).not.toContain('Deployed')
    expect(await run('deploy --json')).toMatchObject({ code: 2 })
    expect(await json('deploy --plan-only')).toMatchObject({ applied: false, wallets: {} })
    expect(await json('wallet list')).toEqual([])
  })

  it('needs a token for triggers, before it changes anything', async () => {
    const { json } = await withAccount('signed-out')
    const { run } = await machine('signed-out', started, {})
    expect(await run('deploy --yes')).toMatchObject({
      code: 4,
      err: expect.stringContaining('Run svc login'),
    })
    expect(await json('wallet list')).toEqual([])
  })

  it('refuses a ChainSecured account, which only its admin wallet can change', async () => {
    const { run } = await withAccount('chain-secured')
    const client = createClient({
      baseUrl: started.baseUrl,
      apiKey: accountKey('chain-secured'),
      verify: 'never',
    })
    const provider = new JsonRpcProvider(started.stack.chainUrl)
    const admin = new EthersWallet(EthersWallet.createRandom().privateKey, provider)
    await provider.send('anvil_setBalance', [admin.address, '0xde0b6b3a7640000'])
    await client.convertToChainSecured(new NonceManager(admin))
    provider.destroy()
    const refused = await run('deploy --yes')
    expect(refused).toMatchObject({ code: 4, out: '' })
    expect(refused.err).toContain(
      'svc deploy changes an account with its account key: The account is in ChainSecured mode',
    )
  })
})

function accountKey(name: string): string {
  const stored = JSON.parse(readFileSync(join(folder, name, 'credentials.json'), 'utf8'))
  return (Object.values(stored.origins)[0] as { account_key: string }).account_key
}

it('changes nothing if the account changed while the plan was on the screen', async () => {
  const owner = await withAccount('slow')
  const typed = async () => {
    await owner.json('wallet create --name shop/ops')
    return 'y'
  }
  const { code, err } = await owner.run('deploy', { typed })
  expect(err).toContain('the account has changed since this plan was made')
  expect(code).toBe(2)
  expect(await owner.json('group list')).toEqual([])
  expect(await owner.json('wallet list')).toHaveLength(1)
})
